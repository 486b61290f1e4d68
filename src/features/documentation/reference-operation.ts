import type { EndpointContract } from '../../http/contract';
import type { ErrorCode } from '../../shared/errors';
import { anchor } from './layout';
import { type Markup, markup, withCode } from '../../shared/markup';
import { renderField, renderFields, type Resolve } from './openapi-schema';
import type { Media, Operation, Parameter, ReferenceContext } from './reference-context';
import { renderBlock, renderSamples } from './sample-figure';
import { samplesOf, uploadSampleOf } from './samples';
import { sdkSampleOf } from './sdk-samples';
import { breakable } from './text';
import { renderTryForm } from './try-form';

/** The example of a body, from `example` or `examples`. */
export function exampleOf(media: Media | undefined): unknown {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}

/** An example in the column beside the text. */
export const example = (title: string, value: unknown): Markup | undefined =>
  value === undefined
    ? undefined
    : typeof value === 'string'
      ? renderBlock(title, value, value.startsWith('<') ? 'xml' : 'text')
      : renderBlock(title, JSON.stringify(value, null, 2), 'json');

const places = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

function parametersOf(operation: Operation, resolve: Resolve): Parameter[] {
  return (
    (operation.parameters ?? [])
      .map((parameter) => resolve(parameter))
      // The page describes headers of every request once.
      .filter(({ name }) => !/^(API-(Key|Secret)|X-Request-Id|Sandbox-Fault)$/i.test(name))
  );
}

export function renderParameters(parameters: readonly Parameter[], resolve: Resolve): Markup[] {
  return (['path', 'query', 'header'] as const).flatMap((place) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    if (fields.length === 0) return [];
    return markup`<h3>${places[place]}</h3><dl class="fields">${fields.map(
      ({ name, schema, required, description, example }) =>
        renderField(name, schema, { isRequired: required === true, description, example }, resolve),
    )}</dl>`;
  });
}

export function renderBody(operation: Operation, resolve: Resolve): Markup | undefined {
  if (!operation.requestBody) return undefined;
  const { content } = resolve(operation.requestBody);
  const [media] = Object.values(content);
  return markup`<h3>Body <span class="media-types">${Object.keys(content).join(' or ')}</span></h3>${media?.schema && renderFields(media.schema, resolve, true)}`;
}

function renderSuccess(
  status: string,
  given: Operation['responses'][string],
  context: ReferenceContext,
): Markup {
  const response = context.resolve(given);
  const headers = Object.entries(response.headers ?? {}).filter(
    ([name]) => !context.commonHeaders.includes(name),
  );
  const [media] = Object.values(response.content ?? {});
  const fields = media?.schema && renderFields(media.schema, context.resolve);
  return markup`<h3>Response <span class="status">${status}</span></h3><p>${withCode(response.description)}</p>${
    headers.length === 0
      ? undefined
      : markup`<h4>Response headers</h4><dl class="fields">${headers.map(([name, header]) => {
          const { schema = { type: 'string' }, description } = context.resolve(header);
          return renderField(name, schema, { description }, context.resolve);
        })}</dl>`
  }${fields && headers.length > 0 ? markup`<h4>Response body</h4>` : undefined}${fields}`;
}

/** An error code in a list, with its status and its title. */
export const renderErrorCode = (
  code: ErrorCode,
  { errors, links }: Pick<ReferenceContext, 'errors' | 'links'>,
): Markup =>
  markup`<li><span class="status">${errors[code].status}</span> <a href="${links.page('errors', code)}"><code>${code}</code></a> <span>${errors[code].title}</span></li>`;

function renderErrors(contract: EndpointContract, context: ReferenceContext): Markup {
  const { errorsOf, commonErrors, links } = context;
  const own = errorsOf(contract).filter((code) => !commonErrors.includes(code));
  const common = markup`<a href="${links.page('reference', 'common-errors')}">errors of every operation</a>`;
  return own.length === 0
    ? markup`<h3>Errors</h3><p>Only the ${common}.</p>`
    : markup`<h3>Errors</h3><ul class="codes">${own.map((code) => renderErrorCode(code, context))}</ul><p>Also the ${common}.</p>`;
}

const prefix = '/company/integration';
const jsonType = 'application/json';

/** Each repeat of these requests has a further effect. */
const notSafeToRetry = ['settleSandboxContribution', 'resetSandbox'];

/** The request in each language, with the examples of its parameters. */
function renderRequestSamples(
  { operationId, method, path, summary }: EndpointContract,
  parameters: readonly Parameter[],
  { body, mediaType }: { body: unknown; mediaType: string },
  { sdkMethodsOf }: ReferenceContext,
): Markup {
  const valueOf = (place: 'path' | 'query', wanted: string): string => {
    const parameter = parameters.find((each) => each.in === place && each.name === wanted);
    const value = parameter?.example ?? parameter?.schema.examples?.[0];
    return typeof value === 'string' ? value : '1';
  };
  const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const key = hasKey ? 'order-7001' : undefined;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => valueOf('path', name));
  const required = parameters.filter(
    ({ in: place, required: isRequired }) => place === 'query' && isRequired,
  );
  const query = Object.fromEntries(required.map(({ name }) => [name, valueOf('query', name)]));
  const filled = path
    .replace(prefix, '')
    .replace(/\{(\w+)\}/g, (_whole, name: string) => valueOf('path', name));
  const sdk = sdkSampleOf(operationId, sdkMethodsOf(operationId), { ids, query, body, key });
  const request = {
    method: method.toUpperCase(),
    path: required.length === 0 ? filled : `${filled}?${new URLSearchParams(query).toString()}`,
    body,
    key,
    isSafeToRetry: !notSafeToRetry.includes(operationId),
  };
  // The client of the guides sends JSON only.
  const samples = mediaType === jsonType ? samplesOf(request) : [uploadSampleOf(request, mediaType)];
  return renderSamples([...(sdk === undefined ? [] : [{ language: 'js' as const, code: sdk }]), ...samples], {
    title: summary,
    name: `sample-${operationId}`,
  });
}

function renderSdkMethods(
  { operationId }: EndpointContract,
  { sdkMethodsOf, links }: ReferenceContext,
): Markup | undefined {
  const methods = sdkMethodsOf(operationId);
  if (methods.length === 0) return undefined;
  return markup` <span>SDK ${methods.map(
    ({ label, page, id }, index) =>
      markup`${index > 0 ? ', ' : ''}<a href="${links.page(page, id)}"><code>${label}</code></a>`,
  )}</span>`;
}

/** Everything about one operation. */
export function renderOperation(
  contract: EndpointContract,
  operation: Operation,
  context: ReferenceContext,
): Markup {
  const { resolve } = context;
  const parameters = parametersOf(operation, resolve);
  const successes = Object.entries(operation.responses).filter(([status]) => /^[23]/.test(status));
  const content = operation.requestBody ? resolve(operation.requestBody).content : {};
  const [firstType = jsonType] = Object.keys(content);
  const mediaType = jsonType in content ? jsonType : firstType;
  const body = exampleOf(Object.values(content)[0]);
  return markup`<section class="operation row chapter" aria-labelledby="${contract.operationId}">
<div class="prose explained">
<h2 id="${contract.operationId}">${contract.summary}${anchor(contract.operationId, contract.summary)}</h2>
<p class="request-line"><span class="method ${contract.method}">${contract.method.toUpperCase()}</span> <code>${breakable(contract.path)}</code></p>
<p class="marks"><span>${contract.scope === null ? 'No scope' : markup`Scope <code>${contract.scope}</code>`}</span> <span>Operation <code>${contract.operationId}</code></span>${renderSdkMethods(contract, context)}</p>
<p>${withCode(contract.description)}</p>
${renderParameters(parameters, resolve)}
${renderBody(operation, resolve)}
${successes.map(([status, response]) => renderSuccess(status, response, context))}
</div>
<div class="beside examples">
${renderRequestSamples(contract, parameters, { body, mediaType }, context)}
${mediaType === jsonType ? undefined : example('Request body', body)}
${successes.map(([status, response]) => {
  const [media] = Object.values(resolve(response).content ?? {});
  return example(`Response ${status}`, exampleOf(media));
})}
</div>
<div class="prose explained">
${renderErrors(contract, context)}
${renderTryForm(contract, parameters, body, context)}
</div>
</section>
`;
}
