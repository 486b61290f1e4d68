import type { EndpointContract } from '../../http/endpoint';
import { errorCatalog } from '../../http/error-catalog';
import type { ErrorCode } from '../../shared/errors';
import type { PageContent } from './layout';
import type { Links } from './links';
import { type Markup, markup } from './markup';
import { createResolve, renderField } from './openapi-schema';
import { type Operation, type ReferenceContext, renderOperation } from './reference-operation';
import { type DemoKeyPairs, renderCredentials } from './try-form';

/** As much of the OpenAPI document as the reference reads. */
export interface ReferenceDocument {
  paths: Record<string, Record<string, Operation>>;
}

export interface ReferenceInput {
  document: ReferenceDocument;
  contracts: readonly EndpointContract[];
  errorsOf: (contract: EndpointContract) => readonly ErrorCode[];
  publicBaseUrl: string;
  demo: DemoKeyPairs | undefined;
}

/** What all of the lists have. */
function sharedBy<T>(lists: readonly (readonly T[])[]): T[] {
  const [first = [], ...others] = lists;
  return first.filter((item) => others.every((list) => list.includes(item)));
}

function operationOf(document: ReferenceDocument, { path, method }: EndpointContract): Operation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`the OpenAPI document lacks ${method} ${path}`);
  return operation;
}

function overview(contracts: readonly EndpointContract[]): Markup {
  const rows = contracts.map(
    ({ operationId, method, path, summary }) =>
      markup`<li><a href="#${operationId}">${summary}</a> <span class="request-line"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></span></li>`,
  );
  return markup`<ul class="operations">${rows}</ul>`;
}

/** The reference of every operation, from the OpenAPI document that this service serves. */
export function renderReference(
  { document, contracts, errorsOf, publicBaseUrl, demo }: ReferenceInput,
  links: Links,
): PageContent {
  const resolve = createResolve(document);
  const answers = contracts.flatMap((contract) =>
    Object.values(operationOf(document, contract).responses).map((response) => resolve(response)),
  );
  const commonErrors = sharedBy(contracts.map((contract) => errorsOf(contract)));
  const commonHeaders = sharedBy(
    contracts.flatMap((contract) =>
      Object.entries(operationOf(document, contract).responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, response]) => Object.keys(resolve(response).headers ?? {})),
    ),
  );
  const context: ReferenceContext = { resolve, links, commonErrors, commonHeaders, errorsOf, publicBaseUrl };
  const specified = contracts.filter(({ origin }) => origin !== 'addition');
  const added = contracts.filter(({ origin }) => origin === 'addition');
  const render = (contract: EndpointContract): Markup =>
    renderOperation(contract, operationOf(document, contract), context);

  const header = (name: string): Markup | undefined => {
    const found = answers.map(({ headers }) => headers?.[name]).find((given) => given !== undefined);
    if (!found) return undefined;
    const { schema = { type: 'string' }, description } = resolve(found);
    return renderField(name, schema, { description }, resolve);
  };

  const body = markup`<h1>API reference</h1>
<p>All operations of this service, made from <a href="${links.openApi}">its OpenAPI document</a>. The address is <code>${publicBaseUrl}</code>. Operations marked “Addition” go beyond the interface specification.</p>
${overview([...specified, ...added])}
<h2 id="try-it">A key pair to try with</h2>
<p>Every operation below has a form that sends it to this service. All of them use the pair that you put in here. <a href="${links.page('credentials')}">Credentials and environments</a> tells what a pair is.</p>
${renderCredentials(demo)}
<h2 id="every-operation">Every operation</h2>
<p>Every request carries the headers <code>API-Key</code> and <code>API-Secret</code>. Send your own <code>X-Request-Id</code> if you like: it comes back. Every answer has these headers:</p>
<dl class="fields">${commonHeaders.map(header)}</dl>
<p>Errors are <a href="${links.page('errors')}">problem documents</a>. Every operation can answer these:</p>
<ul class="codes" id="common-errors">${commonErrors.map(
    (code) =>
      markup`<li><span class="status">${errorCatalog[code].status}</span> <a href="${links.page('errors', code)}"><code>${code}</code></a> ${errorCatalog[code].title}</li>`,
  )}</ul>
<h2 id="specification">Operations of the specification</h2>
${specified.map(render)}
<h2 id="additions">Additions</h2>
${added.map(render)}`;
  return {
    title: 'API reference',
    sections: [
      { id: 'try-it', title: 'A key pair to try with' },
      { id: 'every-operation', title: 'Every operation' },
      ...[...specified, ...added].map(({ operationId, summary }) => ({ id: operationId, title: summary })),
    ],
    body,
  };
}

/** Where the reference describes an operation that a guide names as `PUT /contributions/create`. */
export function createAddressOfOperation(contracts: readonly EndpointContract[]) {
  const prefix = '/company/integration';
  return (code: string): string | undefined => {
    const [method, path = ''] = code.split(' ');
    return contracts.find(
      (contract) =>
        contract.method.toUpperCase() === method &&
        (contract.path === path || contract.path === `${prefix}${path}`),
    )?.operationId;
  };
}
