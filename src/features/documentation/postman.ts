import type { EndpointContract } from '../../http/contract';
import { createResolve, type Resolve } from './openapi-schema';
import type { ReferenceDocument } from './reference';
import type { Media, Operation, Parameter } from './reference-context';
import { groupsOf } from './reference-groups';

const prefix = '/company/integration';
const urlVariable = 'CONTRIBUTION_API_URL';
const keyVariable = 'CONTRIBUTION_API_KEY';
const secretVariable = 'CONTRIBUTION_API_SECRET';
const reference = (name: string): string => `{{${name}}}`;

/** Headers that every operation has, or that most readers do not send. */
const omittedHeaders = /^(API-(Key|Secret)|X-Request-Id|Sandbox-Fault|If-None-Match)$/i;

/** Runs after each request. Requests that follow use the ids of its response. */
const rememberIds = `
if (pm.response.code < 300 && /^application.json/.test(pm.response.headers.get('Content-Type'))) {
  const body = pm.response.json();
  const [first = {}] = Array.isArray(body.data) ? body.data : [];
  const ids = {
    transaction_id: body.transaction_id,
    return_id: body.return_id,
    endpoint_id: body.endpoint_id ?? first.endpoint_id,
    replay_id: body.replay_id,
    file_id: body.file_id,
    story_id: first.story_id,
    entry_id: first.entry_id,
    account_id: first.account_id,
    event_id: first.type && first.id,
  };
  for (const [name, id] of Object.entries(ids)) if (id) pm.collectionVariables.set(name, String(id));
}
`.trim();

const allowVariable = 'allow_changes';

/** Operations that change or remove what a run of the collection did not create. */
const guardedOperations = [
  'changeWebhookEndpoint',
  'closeMonth',
  'deleteWebhookEndpoint',
  'disableWebhookEndpoint',
  'removeAccountNumber',
  'reopenMonth',
  'resetSandbox',
  'rotateWebhookSecret',
  'setSandboxSettings',
  'setStatementAccount',
];

/** Runs before these requests. A Postman without `skipRequest` fails and sends nothing. */
const skipUnlessAllowed = `
if (pm.variables.get('${allowVariable}') !== 'true') {
  console.log('Skipped. To send this request, set the variable ${allowVariable} to true.');
  pm.execution.skipRequest();
}
`.trim();

const eventOf = (listen: 'prerequest' | 'test', script: string): object => ({
  listen,
  script: { type: 'text/javascript', exec: script.split('\n') },
});

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

const exampleOfParameter = ({ example, schema }: Parameter): string =>
  textOf(example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]);

/** JSON leaves out a description that is undefined. */
const described = ({ name, description }: Parameter, value: string) => ({ key: name, value, description });

function urlOf(path: string, parameters: readonly Parameter[]) {
  const segments = path.replace(`${prefix}/`, '').replace(/\{(\w+)\}/g, ':$1');
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return {
    raw: `${reference(urlVariable)}/${segments}`,
    host: [reference(urlVariable)],
    path: segments.split('/'),
    // The reader enables what the request needs.
    ...(inQuery.length > 0 && {
      query: inQuery.map((parameter) => ({
        ...described(parameter, exampleOfParameter(parameter)),
        disabled: parameter.required !== true,
      })),
    }),
    ...(inPath.length > 0 && {
      variable: inPath.map((parameter) => described(parameter, reference(parameter.name))),
    }),
  };
}

const exampleOfMedia = (media: Media | undefined): unknown =>
  media?.example ?? Object.values(media?.examples ?? {})[0]?.value;

/** NDJSON has each object on one line. */
const rawOf = (type: string, value: unknown): string =>
  typeof value === 'string'
    ? value
    : JSON.stringify(value, null, type === 'application/json' ? 2 : undefined);

/** The first kind of body that has an example. */
function bodyOf(operation: Operation, resolve: Resolve): { type: string; raw: string } | undefined {
  if (!operation.requestBody) return undefined;
  const { content } = resolve(operation.requestBody);
  const [type, media] = Object.entries(content).find(([, each]) => exampleOfMedia(each) !== undefined) ?? [];
  return type === undefined ? undefined : { type, raw: rawOf(type, exampleOfMedia(media)) };
}

function requestOf(contract: EndpointContract, operation: Operation, resolve: Resolve) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(parameter));
  const headers = parameters.filter(
    ({ in: place, name }) => place === 'header' && !omittedHeaders.test(name),
  );
  const body = bodyOf(operation, resolve);
  const isJson = body?.type === 'application/json';
  return {
    method: contract.method.toUpperCase(),
    description: `${contract.description}\n\nScope: \`${contract.scope}\`.`,
    header: [
      { key: 'API-Key', value: reference(keyVariable) },
      { key: 'API-Secret', value: reference(secretVariable) },
      ...headers.map((header) =>
        described(header, header.name === 'Idempotency-Key' ? '{{$guid}}' : exampleOfParameter(header)),
      ),
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: body.type }]),
    ],
    url: urlOf(contract.path, parameters),
    ...(body !== undefined && {
      body: { mode: 'raw', raw: body.raw, options: { raw: { language: isJson ? 'json' : 'text' } } },
    }),
  };
}

/** The documented responses that have an example. */
function examplesOf(operation: Operation, request: object, resolve: Resolve): object[] {
  return Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, given]) => {
      const { description, content } = resolve(given);
      const [type, media] = Object.entries(content ?? {})[0] ?? [];
      const example = exampleOfMedia(media);
      if (type === undefined || example === undefined) return [];
      return {
        name: description,
        originalRequest: request,
        code: Number(status),
        header: [{ key: 'Content-Type', value: type }],
        body: rawOf(type, example),
      };
    });
}

/** The variables of paths, with the examples of the document. */
function pathVariablesOf(operations: readonly Operation[], resolve: Resolve): object[] {
  const examples = new Map(
    operations
      .flatMap((operation) => operation.parameters ?? [])
      .map((parameter) => resolve(parameter))
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => [parameter.name, exampleOfParameter(parameter) || '1']),
  );
  return [...examples].map(([key, value]) => ({ key, value, type: 'string' }));
}

interface PostmanInput {
  contracts: readonly EndpointContract[];
  document: ReferenceDocument;
  publicBaseUrl: string;
}

/**
 * A collection for Postman, in version 2.1 of its format: a folder for each resource, and a request
 * for each operation.
 */
export function postmanCollection({ contracts, document, publicBaseUrl }: PostmanInput): object {
  const resolve = createResolve(document);
  const operationOf = ({ path, method }: EndpointContract): Operation => {
    const operation = document.paths[path]?.[method];
    if (!operation) throw new Error(`the OpenAPI document lacks ${method} ${path}`);
    return operation;
  };
  return {
    info: {
      name: 'Contribution Service',
      description: `Import the environment too, and set its key and secret. Each send creates a new \`Idempotency-Key\`: to retry a create, copy the key of the first request from the console. Ids of responses fill the paths of later requests. Requests that change or remove what you have, such as the reset, are skipped until you set the variable \`${allowVariable}\` to \`true\`.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: groupsOf(contracts).map(({ title, contracts: found }) => ({
      name: title,
      item: found.map((contract) => {
        const operation = operationOf(contract);
        const request = requestOf(contract, operation, resolve);
        const response = examplesOf(operation, request, resolve);
        if (!guardedOperations.includes(contract.operationId))
          return { name: contract.summary, request, response };
        const name = `${contract.summary} (needs ${allowVariable})`;
        return { name, event: [eventOf('prerequest', skipUnlessAllowed)], request, response };
      }),
    })),
    event: [eventOf('test', rememberIds)],
    variable: [
      { key: allowVariable, value: 'false', type: 'string' },
      { key: urlVariable, value: `${publicBaseUrl}${prefix}`, type: 'string' },
      ...pathVariablesOf(contracts.map(operationOf), resolve),
    ],
  };
}

/**
 * The environment for the collection. The reader enters the key pair, and Postman masks the secret.
 */
export function postmanEnvironment(publicBaseUrl: string): object {
  return {
    name: 'Contribution Service (test)',
    values: [
      { key: urlVariable, value: `${publicBaseUrl}${prefix}`, type: 'default', enabled: true },
      { key: keyVariable, value: '', type: 'default', enabled: true },
      { key: secretVariable, value: '', type: 'secret', enabled: true },
    ],
    _postman_variable_scope: 'environment',
  };
}
