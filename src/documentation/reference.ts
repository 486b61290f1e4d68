import type { EndpointContract } from '../http/endpoint';
import { errorCatalog } from '../http/errors/error-catalog';
import type { ErrorCode } from '../shared/errors';
import { anchor, type PageContent } from './layout';
import { type Links, postmanPaths } from './links';
import { type Markup, markup } from '../shared/markup';
import { createResolve, renderField } from './openapi-schema';
import type { Operation, ReferenceContext } from './reference-context';
import { groupsOf, type OperationGroup } from './reference-groups';
import { renderOperation } from './reference-operation';
import { idOfWebhook, renderWebhook } from './reference-webhook';
import { type DemoKeyPairs, renderCredentials } from './try-form';

/** The parts of the OpenAPI document that the reference reads. */
export interface ReferenceDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation & { summary: string; description: string } }>;
}

export interface ReferenceInput {
  document: ReferenceDocument;
  contracts: readonly EndpointContract[];
  errorsOf: (contract: EndpointContract) => readonly ErrorCode[];
  publicBaseUrl: string;
  demo: DemoKeyPairs | undefined;
}

/** The items that all lists contain. */
function sharedBy<T>(lists: readonly (readonly T[])[]): T[] {
  const [first = [], ...others] = lists;
  return first.filter((item) => others.every((list) => list.includes(item)));
}

function operationOf(document: ReferenceDocument, { path, method }: EndpointContract): Operation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`the OpenAPI document lacks ${method} ${path}`);
  return operation;
}

function overview(groups: readonly OperationGroup[]): Markup {
  const row = ({ operationId, method, path, summary }: EndpointContract): Markup =>
    markup`<li><a href="#${operationId}">${summary}</a> <span class="request-line"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></span></li>`;
  return markup`${groups.map(
    ({ id, title, contracts }) =>
      markup`<p class="operations-title"><a href="#${id}">${title}</a></p>
<ul class="operations">${contracts.map(row)}</ul>
`,
  )}`;
}

/** The reference of all operations, from the service's OpenAPI document. */
export function renderReference(
  { document, contracts, errorsOf, publicBaseUrl, demo }: ReferenceInput,
  links: Links,
): PageContent {
  const resolve = createResolve(document);
  const responses = contracts.flatMap((contract) =>
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
  const groups = groupsOf(contracts);
  const webhooks = Object.entries(document.webhooks);
  const render = (contract: EndpointContract): Markup =>
    renderOperation(contract, operationOf(document, contract), context);

  const header = (name: string): Markup | undefined => {
    const found = responses.map(({ headers }) => headers?.[name]).find((given) => given !== undefined);
    if (!found) return undefined;
    const { schema = { type: 'string' }, description } = resolve(found);
    return renderField(name, schema, { description }, resolve);
  };

  const body = markup`<h1>API reference</h1>
<p>All operations of this service, from its <a href="${links.openApi}">OpenAPI document</a>, which is also <a href="${links.root}${postmanPaths.collection.slice(1)}">a collection for Postman</a> with <a href="${links.root}${postmanPaths.environment.slice(1)}">an environment</a>. The base URL is <code>${publicBaseUrl}</code>. The samples use <code>call</code> and <code>send</code> from <a href="${links.page('start', 'your-first-request')}">your first request</a>. Operations marked “Addition” are not part of the interface specification.</p>
${overview(groups)}
<h2 id="try-it">Try it with a key pair${anchor('try-it', 'Try it with a key pair')}</h2>
<p>Every operation below has a form that sends a request to this service with the pair that you enter here. <a href="${links.page('credentials')}">Credentials and environments</a> explains key pairs.</p>
${renderCredentials(demo)}
<h2 id="every-operation">Every operation${anchor('every-operation', 'Every operation')}</h2>
<p>Send the headers <code>API-Key</code> and <code>API-Secret</code> with every request. You can also send your own <code>X-Request-Id</code>, and the response returns it. In the test environment, <code>Sandbox-Fault</code> makes a request fail: see <a href="${links.page('sandbox', 'faults')}">faults</a>. Every response has these headers:</p>
<dl class="fields">${commonHeaders.map(header)}</dl>
<p>Errors are <a href="${links.page('errors')}">problem documents</a>. Every operation can return these:</p>
<ul class="codes" id="common-errors">${commonErrors.map(
    (code) =>
      markup`<li><span class="status">${errorCatalog[code].status}</span> <a href="${links.page('errors', code)}"><code>${code}</code></a> ${errorCatalog[code].title}</li>`,
  )}</ul>
${groups.map(
  ({ id, title, contracts: found }) =>
    markup`<h2 id="${id}">${title}${anchor(id, title)}</h2>
${found.map(render)}
`,
)}<h2 id="webhooks">Webhooks${anchor('webhooks', 'Webhooks')}</h2>
<p>These are the requests that this service sends to <a href="${links.page('events', 'webhooks')}">your webhook endpoints</a>: one for each type of event.</p>
${webhooks.map(([type, { post }]) => renderWebhook(type, post, resolve))}`;
  return {
    title: 'API reference',
    sections: [
      { id: 'try-it', title: 'Try it with a key pair' },
      { id: 'every-operation', title: 'Every operation' },
      ...groups.map(({ id, title, contracts: found }) => ({
        id,
        title,
        sections: found.map(({ operationId, summary }) => ({ id: operationId, title: summary })),
      })),
      {
        id: 'webhooks',
        title: 'Webhooks',
        sections: webhooks.map(([type]) => ({ id: idOfWebhook(type), title: type })),
      },
    ],
    body,
    isWide: true,
  };
}

/** Finds the operation for code such as `PUT /contributions/create` in a guide. */
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
