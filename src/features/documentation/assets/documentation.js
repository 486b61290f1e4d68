// @ts-check
// The script of the documentation. It marks the section that is on the screen, and leads old
// addresses to their page. The pages use no cookies. They store the language of the samples, and in
// the tab the id of the last contribution that a form created.
import './samples.js';
import './search.js';
import './try.js';

/** The reference was one page: its index has an element with a link for each operation. */
function followOldAddress() {
  if (!/\/docs\/reference$/.test(location.pathname)) return;
  const link = document.getElementById(location.hash.slice(1))?.querySelector('a[href*="#"]');
  if (link instanceof HTMLAnchorElement && link.closest('.index-list')) location.replace(link.href);
}
followOldAddress();
window.addEventListener('hashchange', followOldAddress);

/** Closes the open menu. @param {Element | null} keep */
function closeMenus(keep) {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (menu !== keep) menu.removeAttribute('open');
  }
}
document.addEventListener('click', ({ target }) => {
  const element = /** @type {Element} */ (target);
  closeMenus(element.closest('a') ? null : element.closest('details.menu'));
});
document.addEventListener('keydown', (event) => {
  const open = document.querySelector('details.menu[open]');
  if (event.key !== 'Escape' || !open) return;
  closeMenus(null);
  open.querySelector('summary')?.focus();
});

/** How much of the navigation is visible beyond the current link. */
const revealedPixels = 80;

/**
 * Scrolls the navigation, but not the page, so that a link in it is visible.
 *
 * @param {Element} link
 */
function reveal(link) {
  const list = /** @type {HTMLElement} */ (link.closest('nav'));
  const [{ top, bottom }, visible] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (top < visible.top) list.scrollTop -= visible.top - top + revealedPixels;
  else if (bottom > visible.bottom) list.scrollTop += bottom - visible.bottom + revealedPixels;
}

/** Marks the link to the section that is at the top of the screen. */
function markCurrentSection() {
  const top = 140;
  const atEnd = window.scrollY > 0 && window.scrollY + window.innerHeight >= document.body.scrollHeight - 2;
  let current = '';
  for (const { id } of sections) {
    const { y } = /** @type {HTMLElement} */ (document.getElementById(id)).getBoundingClientRect();
    if (y <= top || atEnd) current = id;
  }
  for (const { id, link } of sections) {
    if (id !== current) link.removeAttribute('aria-current');
    else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location');
      if (link.closest('.navigation')) reveal(link);
    }
  }
}

const sections = [...document.querySelectorAll('nav.beside ul ul a[href^="#"], .outline a')].flatMap(
  (link) => {
    const id = (link.getAttribute('href') ?? '').slice(1);
    return document.getElementById(id) ? [{ id, link }] : [];
  },
);
if (sections.length > 0) {
  let isPending = false;
  const update = () => {
    if (isPending) return;
    isPending = true;
    requestAnimationFrame(() => {
      isPending = false;
      markCurrentSection();
    });
  };
  document.addEventListener('scroll', update, { passive: true });
  update();
}

// The menu of the sections repeats the outline. It shows only while the outline is out of sight.
const outline = document.querySelector('.outline');
const outlineMenu = document.querySelector('.outline-menu');
if (outline && outlineMenu) {
  new IntersectionObserver(([entry]) =>
    outlineMenu.classList.toggle('needed', !entry?.isIntersecting),
  ).observe(outline);
}

const currentPage = document.querySelector('nav.beside [aria-current="page"]');
if (currentPage) reveal(currentPage);
