// @ts-check
// The "Try it" forms, which send requests to this service. The key pair is in the fields above
// every "Send". It is not stored, and is cleared when the reader leaves the page.
import { addCopyButton } from './samples.js';

/** The key pair, in one object, because all forms show the same. */
const pair = { key: '', secret: '', production: false };

/** @param {string} part @returns {NodeListOf<HTMLInputElement>} */
const fieldsOf = (part) => document.querySelectorAll(`[data-pair="${part}"]`);

const isProduction = () =>
  /^cp[ks]_production_/.test(pair.key.trim()) || /^cp[ks]_production_/.test(pair.secret.trim());

/** Shows the pair in every form. @param {Partial<typeof pair>} changed */
function setPair(changed) {
  const wasProduction = isProduction();
  Object.assign(pair, changed);
  if (wasProduction !== isProduction()) pair.production = false;
  for (const part of /** @type {const} */ (['key', 'secret'])) {
    for (const field of fieldsOf(part)) if (field.value !== pair[part]) field.value = pair[part];
  }
  for (const field of fieldsOf('production')) field.checked = pair.production;
  for (const warning of document.querySelectorAll('.key-pair .production'))
    /** @type {HTMLElement} */ (warning).hidden = !isProduction();
}

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
  const figure = element('figure', '', 'sample');
  const pre = element('pre', '');
  pre.append(element('code', text));
  figure.append(element('figcaption', title), pre);
  addCopyButton(figure);
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

const transactionKey = 'transaction-id';

/** Fills the id of the last contribution into the forms that need one. @param {string} id */
function fillTransaction(id) {
  for (const field of document.querySelectorAll('input[name="transaction_id"]')) {
    /** @type {HTMLInputElement} */ (field).value = id;
  }
}

/** Passes a new transaction_id on, also to the page with the completions. @param {string} text */
function passOnTransaction(text) {
  const id = /"transaction_id":"([0-9A-Z]{15})"/.exec(text)?.[1];
  if (id === undefined) return;
  fillTransaction(id);
  try {
    sessionStorage.setItem(transactionKey, id);
  } catch {
    // Browsers can forbid storage. The reader then enters the id.
  }
}

/** Why the form may not send, or undefined. @param {HTMLFormElement} form */
function refusalOf(form) {
  for (const part of /** @type {const} */ (['key', 'secret'])) {
    if (pair[part].trim() !== '') continue;
    /** @type {HTMLElement} */ (form.querySelector(`[data-pair="${part}"]`)).focus();
    return `Nothing was sent: enter your ${part === 'key' ? 'API-Key' : 'API-Secret'} above.`;
  }
  return isProduction() && !pair.production
    ? 'Nothing was sent, because this is a production pair. Select “Send requests to production” above first.'
    : undefined;
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const place = /** @type {HTMLElement} */ (form.querySelector('.result'));
  const refusal = refusalOf(form);
  if (refusal !== undefined) {
    place.replaceChildren(element('p', refusal, 'bad'));
    return;
  }
  const request = requestOf(form);
  place.replaceChildren(element('p', 'Waiting for the response…'));
  try {
    const response = await fetch((form.dataset['root'] ?? '') + request.address.slice(1), {
      method: request.method,
      headers: { ...request.headers, 'API-Key': pair.key.trim(), 'API-Secret': pair.secret.trim() },
      body: request.body,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    const text = await response.text();
    showResponse(place, response, text, asCurl(request, form.dataset['base'] ?? ''));
    if (response.ok && form.dataset['method'] !== 'GET') passOnTransaction(text);
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

/** Puts the fields for the pair above "Send". @param {HTMLFormElement} form @param {Node} fields */
function prepareForm(form, fields) {
  form.querySelector('.actions')?.before(fields);
  form.addEventListener('input', ({ target }) => {
    const { dataset, value, checked } = /** @type {HTMLInputElement} */ (target);
    const part = dataset['pair'];
    if (part === 'key' || part === 'secret') setPair({ [part]: value });
    else if (part === 'production') setPair({ production: checked });
  });
  for (const button of form.querySelectorAll('button[data-key]')) {
    const { key = '', secret = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', () => setPair({ key, secret }));
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById('key-pair'));
if (template) {
  for (const details of document.querySelectorAll('details.try')) {
    const form = /** @type {HTMLFormElement} */ (details.querySelector('form'));
    prepareForm(form, template.content.cloneNode(true));
    /** @type {HTMLElement} */ (details).hidden = false;
  }
  window.addEventListener('pagehide', () => setPair({ key: '', secret: '' }));
  // One key per form, so that sending it twice shows a replayed response.
  for (const field of document.querySelectorAll('input[name="Idempotency-Key"]')) {
    /** @type {HTMLInputElement} */ (field).value = globalThis.crypto?.randomUUID?.() ?? '';
  }
  try {
    const id = sessionStorage.getItem(transactionKey);
    if (id !== null) fillTransaction(id);
  } catch {
    // Browsers can forbid storage.
  }
}
