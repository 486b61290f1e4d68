// @ts-check
// The script of the documentation. It sends the "Try it" forms to this service, copies examples,
// shows samples as tabs and marks the section that is on the screen. It stores only the language of
// the samples, and uses no cookies. The key pair stays in two fields, which are cleared when the
// user leaves the page.
import './search.js';

/** @param {string} id @returns {HTMLInputElement} */
const input = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

/** @param {string} tag @param {string} text @param {string} [className] */
function element(tag, text, className = '') {
  const created = document.createElement(tag);
  created.textContent = text;
  created.className = className;
  return created;
}

/** The response headers to show. */
const shownHeaders = [
  'Environment',
  'Idempotent-Replayed',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'ETag',
  'Cache-Control',
  'X-Request-Id',
];

const isProduction = () =>
  /^cp[ks]_production_/.test(input('api-key').value.trim()) ||
  /^cp[ks]_production_/.test(input('api-secret').value.trim());

function warnAboutProduction() {
  const warning = /** @type {HTMLElement} */ (document.getElementById('production-warning'));
  if (warning.hidden === !isProduction()) return;
  warning.hidden = !isProduction();
  input('production-meant').checked = false;
}

function clearKeyPair() {
  for (const id of ['api-key', 'api-secret']) input(id).value = '';
  warnAboutProduction();
}

/** @param {HTMLFormElement} form */
function requestOf(form) {
  const { method = 'GET', path = '' } = form.dataset;
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = {};
  /** @type {string | null} */
  let body = null;
  let filled = path;
  for (const field of form.querySelectorAll('[data-in]')) {
    const { name, value, dataset } = /** @type {HTMLInputElement} */ (field);
    if (dataset['in'] === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value.trim()));
    else if (dataset['in'] === 'body') {
      body = value;
      headers['Content-Type'] = dataset['media'] ?? 'application/json';
    } else if (value === '') continue;
    else if (dataset['in'] === 'query') query.append(name, value);
    else headers[name] = value;
  }
  return { method, address: query.size > 0 ? `${filled}?${query}` : filled, headers, body };
}

/**
 * The request as a curl command, without the secret. @param {ReturnType<typeof requestOf>} request
 * @param {string} base
 */
function asCurl({ method, address, headers, body }, base) {
  /** @param {string} text */
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    // Through a pipe, because every account of the machine can read the arguments of a program.
    `printf 'API-Key: %s\\nAPI-Secret: %s\\n' "$CONTRIBUTION_API_KEY" "$CONTRIBUTION_API_SECRET" |`,
    `curl -X ${method} ${quoted(base + address)} -H @-`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {string} title @param {string} text */
function codeFigure(title, text) {
  const figure = element('figure', '', 'code');
  const pre = element('pre', '');
  pre.tabIndex = 0;
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', title);
  pre.append(element('code', text));
  figure.append(element('figcaption', title), pre);
  return figure;
}

/**
 * @param {HTMLElement} place @param {Response} response @param {string} text @param {string} curl
 */
function showResponse(place, response, text, curl) {
  const headers = shownHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  place.replaceChildren(
    element('p', `Response ${response.status} ${response.statusText}`.trim(), response.ok ? 'good' : 'bad'),
    ...(text === '' ? [] : [codeFigure('Body', pretty(text))]),
    codeFigure('Headers', headers.join('\n')),
    codeFigure('curl', curl),
  );
}

/** Fills the new transaction_id into the other forms. @param {string} text */
function passOnTransaction(text) {
  const id = /"transaction_id":"([0-9A-Z]{15})"/.exec(text)?.[1];
  if (id === undefined) return;
  for (const field of document.querySelectorAll('input[name="transaction_id"]')) {
    /** @type {HTMLInputElement} */ (field).value = id;
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const place = /** @type {HTMLElement} */ (form.querySelector('.answer'));
  if (isProduction() && !input('production-meant').checked) {
    place.replaceChildren(
      element(
        'p',
        'Nothing was sent, because this is a production pair. Select “Send requests to production” above first.',
        'bad',
      ),
    );
    return;
  }
  const request = requestOf(form);
  place.replaceChildren(element('p', 'Waiting for the response…'));
  try {
    const response = await fetch((form.dataset['root'] ?? '') + request.address.slice(1), {
      method: request.method,
      headers: {
        ...request.headers,
        'API-Key': input('api-key').value.trim(),
        'API-Secret': input('api-secret').value.trim(),
      },
      body: request.body,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    const text = await response.text();
    showResponse(place, response, text, asCurl(request, form.dataset['base'] ?? ''));
    if (response.ok && form.dataset['path']?.endsWith('/{transaction_id}') === false) passOnTransaction(text);
  } catch {
    place.replaceChildren(
      element(
        'p',
        'No response. The service may be unreachable, or a header contains an invalid character.',
        'bad',
      ),
    );
  }
}

const credentials = /** @type {HTMLFormElement | null} */ (document.getElementById('credentials'));
if (credentials) {
  credentials.hidden = false;
  credentials.addEventListener('submit', (event) => event.preventDefault());
  credentials.addEventListener('input', warnAboutProduction);
  for (const button of credentials.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      input('api-key').value = button.dataset['key'] ?? '';
      input('api-secret').value = button.dataset['secret'] ?? '';
      warnAboutProduction();
    });
  }
  window.addEventListener('pagehide', clearKeyPair);
  // One key per form, so that sending it twice shows a replayed response.
  for (const field of document.querySelectorAll('input[name="Idempotency-Key"]')) {
    /** @type {HTMLInputElement} */ (field).value = globalThis.crypto?.randomUUID?.() ?? '';
  }
  for (const details of document.querySelectorAll('details.try')) {
    /** @type {HTMLElement} */ (details).hidden = false;
    const form = /** @type {HTMLFormElement} */ (details.querySelector('form'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form);
    });
  }
}

const languageKey = 'sample-language';

/** The language that the reader chose. Browsers can forbid storage. */
function storedLanguage() {
  try {
    return localStorage.getItem(languageKey) ?? '';
  } catch {
    return '';
  }
}

/** @param {string} language */
function storeLanguage(language) {
  try {
    localStorage.setItem(languageKey, language);
  } catch {
    // The choice lasts until the reader leaves the page.
  }
}

/** Shows one language in every group of samples that has it. @param {string} language */
function showLanguage(language) {
  for (const group of document.querySelectorAll('.samples')) {
    const tabs = [.../** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll('[role="tab"]'))];
    const has = tabs.some((tab) => tab.dataset['language'] === language);
    const shown = has ? language : (tabs[0]?.dataset['language'] ?? '');
    for (const tab of tabs) {
      const isShown = tab.dataset['language'] === shown;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    }
    for (const figure of /** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll('figure'))) {
      figure.hidden = figure.dataset['language'] !== shown;
    }
  }
}

/**
 * Shows the language that the reader chose, and keeps the group at the same place on the screen.
 *
 * @param {HTMLElement} tab
 */
function chooseLanguage(tab) {
  const { y } = tab.getBoundingClientRect();
  const language = tab.dataset['language'] ?? '';
  showLanguage(language);
  storeLanguage(language);
  window.scrollBy({ top: tab.getBoundingClientRect().y - y, behavior: 'instant' });
}

/** @param {KeyboardEvent} event @param {HTMLElement[]} tabs @param {number} index */
function moveBetweenTabs(event, tabs, index) {
  const last = tabs.length - 1;
  /** @type {Record<string, number>} */
  const targets = {
    ArrowRight: index === last ? 0 : index + 1,
    ArrowLeft: index === 0 ? last : index - 1,
    Home: 0,
    End: last,
  };
  const target = tabs[targets[event.key] ?? -1];
  if (!target) return;
  event.preventDefault();
  chooseLanguage(target);
  target.focus();
}

document.querySelectorAll('.samples').forEach((group, groupIndex) => {
  const list = element('div', '', 'tabs');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', `Language: ${/** @type {HTMLElement} */ (group).dataset['title']}`);
  const tabs = [...group.querySelectorAll('figure')].map((figure) => {
    const { language = '' } = figure.dataset;
    const tab = element('button', figure.querySelector('figcaption')?.textContent ?? '');
    tab.id = `sample-${groupIndex}-${language}`;
    figure.id = `${tab.id}-panel`;
    tab.dataset['language'] = language;
    for (const [name, value] of Object.entries({
      type: 'button',
      role: 'tab',
      'aria-controls': figure.id,
    }))
      tab.setAttribute(name, value);
    figure.setAttribute('role', 'tabpanel');
    figure.setAttribute('aria-labelledby', tab.id);
    return tab;
  });
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => chooseLanguage(tab));
    tab.addEventListener('keydown', (event) => moveBetweenTabs(event, tabs, index));
  });
  list.append(...tabs);
  group.prepend(list);
  group.classList.add('tabbed');
});
showLanguage(storedLanguage());

// Browsers offer the clipboard only over https or on localhost.
if ('clipboard' in navigator) {
  for (const figure of document.querySelectorAll('main figure.code')) {
    const button = element('button', 'Copy', 'copy');
    button.setAttribute('type', 'button');
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '').then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Not copied'),
      );
      setTimeout(() => (button.textContent = 'Copy'), 2_000);
    });
    figure.append(button);
  }
}

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

/** How much of the navigation is visible beyond the current link. */
const revealedPixels = 80;

/** Marks the link to the section that is at the top of the screen. */
function markCurrentSection() {
  const top = 120;
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
      reveal(link);
    }
  }
}

const sections = [...document.querySelectorAll('nav.beside ul ul a')].flatMap((link) => {
  const id = (link.getAttribute('href') ?? '').slice(1);
  return document.getElementById(id) ? [{ id, link }] : [];
});
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
