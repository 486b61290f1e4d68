import type { EndpointContract } from '../../http/contract';
import { type Markup, markup } from '../../shared/markup';
import type { Parameter, ReferenceContext } from './reference-context';

/** The demo's key pairs, which the pages show only on the developer's own machine. */
export interface DemoKeyPairs {
  sdkHost: { apiKey: string; apiSecret: string };
  bank: { apiKey: string; apiSecret: string };
}

function parameterInput(
  operationId: string,
  { name, in: place, required, example, schema }: Parameter,
): Markup {
  const id = `${operationId}-${place}-${name.toLowerCase()}`;
  // The default value of an id is 1.
  const isNumber = schema.pattern !== undefined && new RegExp(schema.pattern).test('1');
  const given = example ?? schema.examples?.[0] ?? (isNumber ? '1' : '');
  const value = place === 'path' && typeof given === 'string' ? given : '';
  return markup`<div class="field"><label for="${id}"><code>${name}</code>${
    required === true ? markup` <small>required</small>` : undefined
  }</label><input id="${id}" name="${name}" data-in="${place}" value="${value}"${
    required === true ? markup` required` : undefined
  } autocomplete="off" spellcheck="false"></div>`;
}

/**
 * A form that sends the operation to this service. It is hidden until the script handles it:
 * without the script, the content security policy blocks forms.
 */
export function renderTryForm(
  { operationId, method, path, summary }: EndpointContract,
  parameters: readonly Parameter[],
  body: unknown,
  { links, publicBaseUrl }: ReferenceContext,
): Markup {
  const bodyId = `${operationId}-body`;
  const isText = typeof body === 'string';
  return markup`<details class="try" hidden><summary>Try it<span class="unseen">: ${summary}</span></summary>
<form data-method="${method.toUpperCase()}" data-path="${path}" data-root="${links.root}" data-base="${publicBaseUrl}" autocomplete="off">
${parameters.map((parameter) => parameterInput(operationId, parameter))}
${
  body === undefined
    ? undefined
    : markup`<div class="field"><label for="${bodyId}">${isText ? 'Body' : 'JSON body'}</label><textarea id="${bodyId}" data-in="body"${
        // The only body of text is a bank statement.
        isText ? markup` data-media="application/xml"` : undefined
      } rows="7" spellcheck="false">${isText ? body : JSON.stringify(body, null, 2)}</textarea></div>`
}
<p class="actions"><button type="submit">Send the request<span class="unseen">: ${summary}</span></button></p>
<div class="result" role="status" aria-live="polite"></div>
</form>
</details>`;
}

/**
 * The fields for the key pair. The script puts them above every "Send", and keeps all of them
 * equal.
 */
export function renderKeyPairTemplate(demo: DemoKeyPairs | undefined): Markup {
  const fill = (pair: DemoKeyPairs['bank'], title: string): Markup =>
    markup`<button type="button" class="slim" data-key="${pair.apiKey}" data-secret="${pair.apiSecret}">${title}</button>`;
  const field = (name: string, part: string, example: string): Markup =>
    markup`<div class="field"><label><code>${name}</code><input data-pair="${part}" autocomplete="off" spellcheck="false" autocapitalize="none" placeholder="${example}"></label></div>`;
  return markup`<noscript><p class="banner">Sending a request from this page requires JavaScript. The rest of these pages does not.</p></noscript>
<template id="key-pair"><fieldset class="key-pair"><legend>Your key pair</legend>
<div class="key-pair-fields">${field('API-Key', 'key', 'cpk_test_…')}${field('API-Secret', 'secret', 'cps_test_…')}</div>
${
  demo &&
  markup`<p class="actions">${fill(demo.sdkHost, 'Use the demo’s SDK host')} ${fill(demo.bank, 'Use the demo’s bank')}</p>`
}
<p class="hint">It is sent only to this service, and is cleared when you leave the page.</p>
<div class="banner warn production" role="alert" hidden><p><strong>This is a production pair.</strong> Requests act on real contributions, and anyone who sees your screen can see the pair. Use a test pair if you can.</p>
<p><label class="option"><input type="checkbox" data-pair="production"> Send requests to production</label></p></div>
</fieldset></template>`;
}
