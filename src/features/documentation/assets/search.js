// @ts-check
// The search of the documentation. The index and the library load when the reader enters the field.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form.search'));
const field = /** @type {HTMLInputElement} */ (form.querySelector('input'));
const results = /** @type {HTMLUListElement} */ (form.querySelector('.results'));
const status = /** @type {HTMLElement} */ (form.querySelector('[role="status"]'));
const ownScript = /** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]'));
const indexAddress = new URL('search.json', ownScript.src);

/** @typedef {import('./search-engine.js').Group} Group */
/** @typedef {import('./search-engine.js').Found} Found */
/** @type {Promise<(query: string) => Group[]> | undefined} */
let loading;

async function load() {
  const [{ default: MiniSearch }, { stemmer }, { createSearch }, response] = await Promise.all([
    // @ts-ignore The service serves the library's file.
    import('./minisearch.js'),
    // @ts-ignore The service serves the library's file.
    import('./stemmer.js'),
    import('./search-engine.js'),
    fetch(indexAddress),
  ]);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return createSearch(MiniSearch, stemmer, await response.json());
}

/** @param {string} className @param {(Node | string)[]} content */
function textWith(className, content) {
  const part = document.createElement('span');
  part.className = className;
  part.append(...content);
  return part;
}

/** @param {string} text */
function marked(text) {
  const mark = document.createElement('mark');
  mark.textContent = text;
  return mark;
}

/** @param {Found} found */
function resultOf({ entry, snippet }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = new URL(entry.address, indexAddress).href;
  link.append(
    textWith('result-title', [entry.title]),
    textWith(
      'result-text',
      snippet.map(({ text, isMatch }) => (isMatch ? marked(text) : text)),
    ),
  );
  item.append(link);
  return item;
}

/** The results of one page. @param {Group} group @param {number} at */
function groupOf({ page, found }, at) {
  const item = document.createElement('li');
  const title = textWith('result-page', [page]);
  title.id = `results-${at}`;
  const list = document.createElement('ul');
  list.setAttribute('aria-labelledby', title.id);
  list.append(...found.map(resultOf));
  item.append(title, list);
  return item;
}

function linkToTopics() {
  const link = document.createElement('a');
  link.href = new URL('../topics', indexAddress).href;
  link.textContent = 'See all topics';
  return link;
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
    const groups = search(query);
    results.replaceChildren(...groups.map(groupOf));
    results.hidden = groups.length === 0;
    const count = results.querySelectorAll('a').length;
    status.textContent = count === 1 ? '1 result' : `${count} results`;
    if (count === 0) status.replaceChildren(`No results for “${query}”. `, linkToTopics());
    status.classList.toggle('unseen', count > 0);
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
