// @ts-check
// The search of the documentation. The index and the library load when the reader enters the field.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form.search'));
const field = /** @type {HTMLInputElement} */ (form.querySelector('input'));
const results = /** @type {HTMLUListElement} */ (form.querySelector('.results'));
const status = /** @type {HTMLElement} */ (form.querySelector('[role="status"]'));
const ownScript = /** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]'));
const indexAddress = new URL('search.json', ownScript.src);
const mostResults = 8;

/**
 * @typedef {object} Entry
 * @property {string} page
 * @property {string} title
 * @property {string} text
 * @property {string} [keywords]
 * @property {string} address
 */
/** @type {Promise<(query: string) => Entry[]> | undefined} */
let loading;

async function load() {
  const [{ default: MiniSearch }, response] = await Promise.all([
    // @ts-ignore The service serves the library's file.
    import('./minisearch.js'),
    fetch(indexAddress),
  ]);
  if (!response.ok) throw new Error(`status ${response.status}`);
  /** @type {Entry[]} */
  const entries = await response.json();
  const index = new MiniSearch({
    fields: ['title', 'page', 'text', 'keywords'],
    searchOptions: {
      boost: { title: 4, page: 2, keywords: 8 },
      /** @param {string} term */
      prefix: (term) => term.length > 1,
      /** @param {string} term */
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  /** @param {string} query */
  return (query) =>
    index
      .search(query)
      .slice(0, mostResults)
      .map((/** @type {{ id: number }} */ { id }) => /** @type {Entry} */ (entries[id]));
}

/** The first words of a text. @param {string} text */
const beginningOf = (text) => (text.length <= 120 ? text : `${text.slice(0, text.lastIndexOf(' ', 120))} …`);

/** @param {Entry} entry */
function resultOf({ page, title, text, address }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = new URL(address, indexAddress).href;
  for (const [className, content] of [
    ['result-title', title],
    ['result-page', title === page ? '' : page],
    ['result-text', beginningOf(text)],
  ]) {
    const part = document.createElement('span');
    part.className = className ?? '';
    part.textContent = content ?? '';
    link.append(part);
  }
  item.append(link);
  return item;
}

async function show() {
  const query = field.value.trim();
  if (query === '') {
    close();
    return;
  }
  try {
    loading ??= load();
    const search = await loading;
    // The reader may have typed more in the meantime.
    if (field.value.trim() !== query) return;
    const found = search(query);
    results.replaceChildren(...found.map(resultOf));
    results.hidden = found.length === 0;
    status.textContent = found.length === 1 ? '1 result' : `${found.length} results`;
    status.classList.toggle('unseen', found.length > 0);
    if (found.length === 0) status.textContent = 'No results';
  } catch {
    loading = undefined;
    status.textContent = 'The search could not load. Reload the page.';
    status.classList.remove('unseen');
  }
}

function close() {
  results.hidden = true;
  results.replaceChildren();
  status.textContent = '';
  status.classList.add('unseen');
}

/** @param {number} step */
function moveFocus(step) {
  const stops = [field, ...results.querySelectorAll('a')];
  const at = stops.indexOf(/** @type {HTMLInputElement} */ (document.activeElement));
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
}

form.hidden = false;
field.addEventListener('input', () => void show());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.click();
});
form.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    field.focus();
    close();
  } else if (event.key === 'ArrowDown') moveFocus(1);
  else if (event.key === 'ArrowUp') moveFocus(-1);
  else return;
  event.preventDefault();
});
results.addEventListener('click', close);
document.addEventListener('click', ({ target }) => {
  if (!form.contains(/** @type {Node} */ (target))) close();
});
document.addEventListener('keydown', (event) => {
  const { target } = event;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});
