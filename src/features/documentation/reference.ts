import type { EndpointContract } from '../../http/contract';
import type { ErrorCatalog } from '../../http/errors/error-catalog';
import { errorCodesOf } from '../../http/openapi';
import type { ErrorCode } from '../../shared/errors';
import { anchor, type PageContent, renderOutline, type Section } from './layout';
import { type Links, postmanPaths, type ReferencePage, referencePages } from './links';
import { type Markup, markup } from '../../shared/markup';
import { createResolve, renderField } from './openapi-schema';
import type { Operation, ReferenceContext } from './reference-context';
import { groupOf, type OperationGroup, pageOfOperation } from './reference-groups';
import { renderErrorCode, renderOperation } from './reference-operation';
import { idOfWebhook, renderWebhook } from './reference-webhook';
import { renderBlock } from './sample-figure';
import type { SdkNames } from './sdk-reference/sdk-names';
import { breakable } from './text';
import { type DemoKeyPairs, renderKeyPairTemplate } from './try-form';

type Webhook = Operation & { summary: string; description: string };

/** The parts of the OpenAPI document that the reference reads. */
export interface ReferenceDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Webhook }>;
}

export interface ReferenceInput {
  document: ReferenceDocument;
  contracts: readonly EndpointContract[];
  errors: ErrorCatalog;
  sdkNames: SdkNames;
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

function contextOf({ document, contracts, errors, sdkNames, publicBaseUrl }: ReferenceInput, links: Links) {
  const resolve = createResolve(document);
  const errorsOf = (contract: EndpointContract): ErrorCode[] => errorCodesOf(contract, errors);
  const headersOf = (contract: EndpointContract): string[][] =>
    Object.entries(operationOf(document, contract).responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([, response]) => Object.keys(resolve(response).headers ?? {}));
  const context: ReferenceContext = {
    resolve,
    links,
    commonErrors: sharedBy(contracts.map((contract) => errorsOf(contract))),
    commonHeaders: sharedBy(contracts.flatMap(headersOf)),
    errors,
    errorsOf,
    sdkMethodsOf: sdkNames.methodsOf,
    publicBaseUrl,
  };
  return context;
}

/** A header that every response has. */
function headerOf(name: string, { document, contracts }: ReferenceInput, { resolve }: ReferenceContext) {
  const found = contracts
    .flatMap((contract) => Object.values(operationOf(document, contract).responses))
    .map((response) => resolve(response).headers?.[name])
    .find((given) => given !== undefined);
  if (!found) throw new Error(`no response has the header ${name}`);
  return resolve(found);
}

function renderHeader(name: string, input: ReferenceInput, context: ReferenceContext): Markup {
  const { schema = { type: 'string' }, description } = headerOf(name, input, context);
  return renderField(name, schema, { description }, context.resolve);
}

/** The headers of a request and of its response. */
function renderExchange(input: ReferenceInput, context: ReferenceContext): Markup {
  const request = [
    'GET /company/integration/get/projects HTTP/1.1',
    'API-Key: cpk_test_…',
    'API-Secret: cps_test_…',
  ];
  const response = [
    'HTTP/1.1 200 OK',
    ...context.commonHeaders.map((name) => `${name}: ${String(headerOf(name, input, context).example)}`),
  ];
  return markup`${renderBlock('Request', request.join('\n'), 'http')}${renderBlock('Response', response.join('\n'), 'http')}`;
}

/** The operations of a page. Each has the address that it had when all were on one page. */
function renderList(
  { page, title, purpose, contracts }: OperationGroup,
  webhooks: readonly (readonly [string, Webhook])[],
  links: Links,
): Markup {
  const operation = ({ operationId, method, path, summary }: EndpointContract): Markup =>
    markup`<li id="${operationId}"><a href="${links.page(page, operationId)}">${summary}</a> <span class="request-line"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></span></li>`;
  const webhook = ([type, { summary }]: readonly [string, Webhook]): Markup =>
    markup`<li id="${idOfWebhook(type)}"><a href="${links.page(page, idOfWebhook(type))}"><code>${type}</code></a> <span>${summary}</span></li>`;
  const id = page.replace('reference/', '');
  return markup`<div class="row chapter full"><div class="prose">
<h2 id="${id}">${title}${anchor(id, title)}</h2>
<p>${purpose} <a href="${links.page(page)}">${title}: all details</a></p>
<ul class="index-list">${contracts.map(operation)}${
    page === 'reference/webhooks' ? webhooks.map(webhook) : undefined
  }</ul>
</div></div>
`;
}

/** The first page of the reference: what all operations have in common, and the list of them. */
export function renderReferenceIndex(input: ReferenceInput, links: Links): PageContent {
  const { document, contracts, publicBaseUrl } = input;
  const context = contextOf(input, links);
  const groups = referencePages.map((page) => groupOf(page, contracts));
  const webhooks = Object.entries(document.webhooks).map(([type, { post }]) => [type, post] as const);
  const sections: Section[] = [
    { id: 'every-operation', title: 'Every operation' },
    ...groups.map(({ page, title }) => ({ id: page.replace('reference/', ''), title })),
    { id: 'common-errors', title: 'Errors of every operation' },
  ];
  const body = markup`<div class="row">
<div class="prose">
<h1>API reference</h1>
<p>All operations of this service, one page for each kind of thing. The base URL is <code>${publicBaseUrl}</code>. Programs read the <a href="${links.openApi}">OpenAPI document</a>, which is also <a href="${links.root}${postmanPaths.collection.slice(1)}">a collection for Postman</a> with <a href="${links.root}${postmanPaths.environment.slice(1)}">an environment</a>.</p>
<p>The samples use <code>call</code> and <code>send</code> from <a href="${links.page('start', 'your-first-request')}">your first request</a>.</p>
<p id="try-it">Every operation has a form that sends a request to this service with your key pair. <a href="${links.page('credentials')}">Credentials and environments</a> explains key pairs.</p>
</div>
<div class="beside">${renderOutline(sections)}</div>
</div>
<div class="row chapter">
<div class="prose">
<h2 id="every-operation">Every operation${anchor('every-operation', 'Every operation')}</h2>
<p>Send the headers <code>API-Key</code> and <code>API-Secret</code> with every request. You can also send your own <code>X-Request-Id</code>, and the response returns it. In the test environment, <code>Sandbox-Fault</code> makes a request fail: see <a href="${links.page('sandbox', 'faults')}">faults</a>. Every response has these headers:</p>
<dl class="fields">${context.commonHeaders.map((name) => renderHeader(name, input, context))}</dl>
</div>
<div class="beside examples">
${renderExchange(input, context)}
</div>
</div>
${groups.map((group) => renderList(group, webhooks, links))}
<div class="row chapter"><div class="prose">
<h2 id="common-errors">Errors of every operation${anchor('common-errors', 'Errors of every operation')}</h2>
<p>Errors are <a href="${links.page('errors')}">problem documents</a>. Every operation can return these:</p>
<ul class="codes">${context.commonErrors.map((code) => renderErrorCode(code, context))}</ul>
</div></div>`;
  return { title: 'API reference', sections, body };
}

/** The operations on one kind of thing. */
export function renderReferencePage(page: ReferencePage, input: ReferenceInput, links: Links): PageContent {
  const { document, demo } = input;
  const context = contextOf(input, links);
  const { title, purpose, contracts } = groupOf(page, input.contracts);
  const webhooks = page === 'reference/webhooks' ? Object.entries(document.webhooks) : [];
  const sections: Section[] = [
    ...contracts.map(({ operationId, summary }) => ({ id: operationId, title: summary })),
    ...webhooks.map(([type]) => ({ id: idOfWebhook(type), title: type })),
  ];
  const more =
    webhooks.length > 0
      ? markup`<a href="${links.page('webhooks')}">Receive webhooks</a> shows how to verify and store them.`
      : markup`<a href="${links.page('reference', 'every-operation')}">Every operation</a> also has common headers and errors.`;
  const body = markup`<div class="row">
<div class="prose">
<h1>${title}</h1>
<p>${purpose} ${more}</p>
${contracts.length > 0 ? renderKeyPairTemplate(demo) : undefined}
</div>
<div class="beside">${renderOutline(sections)}</div>
</div>
${contracts.map((contract) => renderOperation(contract, operationOf(document, contract), context))}
${webhooks.map(([type, { post }]) => renderWebhook(type, post, context.resolve))}`;
  return { title, sections, body, listsSections: true };
}

/** The address of the operation for code such as `PUT /contributions/create` in a guide. */
export function createAddressOfOperation(contracts: readonly EndpointContract[], links: Links) {
  const prefix = '/company/integration';
  return (code: string): string | undefined => {
    const [method, path = ''] = code.split(' ');
    const found = contracts.find(
      (contract) =>
        contract.method.toUpperCase() === method &&
        (contract.path === path || contract.path === `${prefix}${path}`),
    );
    return found && links.page(pageOfOperation(found), found.operationId);
  };
}
