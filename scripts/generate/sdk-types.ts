import type { JsonObject } from '../../src/http/openapi/json';

/**
 * Derives the types of the TypeScript SDK from the OpenAPI document: an interface for each schema,
 * and for each operation its query, body and response.
 *
 * Lists of values are open in responses, because later versions of the service may add values.
 */
interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: (string | number)[];
  /** The value decides which of several schemas applies. An unknown value would match none. */
  'x-discriminator'?: boolean;
  const?: string | number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Partial<Record<string, { schema: Schema }>>;

interface Operation {
  operationId: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

type Direction = 'request' | 'response';

const scalars: Partial<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function typeOf(schema: Schema, direction: Direction): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((each) => typeOf(each, direction)).join(' | ');
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values) {
    const listed = values.map((value) => JSON.stringify(value)).join(' | ');
    const isOpen =
      direction === 'response' && typeof values[0] === 'string' && schema['x-discriminator'] !== true;
    return isOpen ? `${listed} | (string & {})` : listed;
  }
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {}, direction)})[]`;
  if (schema.properties) return objectOf(schema, direction);
  const types = [schema.type ?? []].flat().map((type) => scalars[type] ?? 'Record<string, unknown>');
  return types.length > 0 ? types.join(' | ') : 'unknown';
}

const comment = (description: string | undefined): string =>
  description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;

/** A code of an error, which the document describes but does not list in each place. */
function isErrorCode(name: string, { description = '', enum: values }: Schema): boolean {
  const isCode = name === 'error_code' || (name === 'code' && description.startsWith('The error code'));
  return isCode && values === undefined;
}

function objectOf({ properties = {}, required = [] }: Schema, direction: Direction): string {
  const typeOfMember = (name: string, schema: Schema): string => {
    const type = typeOf(schema, direction);
    return isErrorCode(name, schema) ? type.replace('string', 'KnownCode | (string & {})') : type;
  };
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${name}${required.includes(name) ? '' : '?'}: ${typeOfMember(name, schema)}${
        direction === 'request' && !required.includes(name) ? ' | undefined' : ''
      };`,
  );
  return `{\n${members.join('\n')}\n}`;
}

const declare = (name: string, type: string, description?: string): string =>
  `${comment(description)}export ${type.startsWith('{') ? `interface ${name} ${type}` : `type ${name} = ${type};`}`;

/** A body, or one line of it. */
const jsonOf = (content: Content | undefined): Schema | undefined =>
  (content?.['application/json'] ?? content?.['application/x-ndjson'])?.schema;

function declareOperation(operation: Operation, path: string): string[] {
  const name = capitalize(operation.operationId);
  const about = `\`${path}\``;
  const query: Schema = { properties: {}, required: [] };
  for (const { in: place, name: parameter, schema, description, required } of operation.parameters ?? []) {
    if (place !== 'query') continue;
    query.properties = {
      ...query.properties,
      [parameter]: { ...schema, ...(description !== undefined && { description }) },
    };
    if (required === true) query.required?.push(parameter);
  }
  const body = jsonOf(operation.requestBody?.content);
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const response = jsonOf(success?.content);
  const hasQuery = Object.keys(query.properties ?? {}).length > 0;
  return [
    ...(hasQuery ? [declare(`${name}Query`, objectOf(query, 'request'), `Query of ${about}.`)] : []),
    ...(body ? [declare(`${name}Body`, typeOf(body, 'request'), `Body of ${about}.`)] : []),
    ...(response
      ? [declare(`${name}Response`, typeOf(response, 'response'), `Successful response of ${about}.`)]
      : []),
  ];
}

/** The names in the query and the body of an operation, in all its forms. */
function namesOf({ parameters = [], requestBody }: Operation): string[] {
  const membersOf = ({ properties = {}, anyOf = [], oneOf = [] }: Schema): string[] => [
    ...Object.keys(properties),
    ...[...anyOf, ...oneOf].flatMap(membersOf),
  ];
  const query = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  return [...new Set([...query, ...membersOf(jsonOf(requestBody?.content) ?? {})])];
}

/** The path that all operations of the SDK share. */
const prefix = '/company/integration';

/** Texts that many operations have. A bundle has each of them once. */
const shared: Record<string, string> = {
  entry: '/statements/entries/{entry_id}',
  statement: '/statements/{file_id}',
  faults: '/sandbox/faults',
  endpoint: '/webhook-endpoints/{endpoint_id}',
  transaction: '/contributions/{transaction_id}',
  transfer: ' amount currency bank_reference value_date',
  page: ' limit cursor',
  account: '/statement-accounts/{account_id}',
  project: '/get/project/{project_id}',
  evidence: ' bank_reference value_date',
  user: ' user_hash',
  range: ' from to',
};

/** Constants rather than a table, so that a bundle has each path once. */
function declareOperations(operations: [method: string, path: string, Operation][]): string {
  const constants = operations.map(([method, path, operation]) => {
    let text = [method, path.replace(prefix, ''), ...namesOf(operation)].join(' ');
    for (const [name, part] of Object.entries(shared)) text = text.replace(part, `\${${name}}`);
    return `export const ${operation.operationId}: string = \`${text}\`;`;
  });
  const parts = Object.entries(shared).map(([name, part]) => `const ${name} = ${JSON.stringify(part)};`);
  return [...parts, ...constants].join('\n');
}

function listOf(name: string, schema: Schema | undefined, description: string): string {
  const values = (schema?.enum ?? []).map((value) => JSON.stringify(value)).join(' | ');
  return declare(name, values, description);
}

/** Lists from which the SDK's command suggests names: those of a query or body. */
const suggested = [
  ['eventTypes', 'listEvents', 'type'],
  ['faultOperations', 'armSandboxFault', 'operation'],
] as const;

function declareSuggested(operations: readonly Operation[]): string[] {
  return suggested.map(([name, operationId, member]) => {
    const { parameters = [], requestBody } = operations.find((one) => one.operationId === operationId) ?? {};
    const parameter = parameters.find((one) => one.in === 'query' && one.name === member);
    const schema = parameter?.schema ?? jsonOf(requestBody?.content)?.properties?.[member];
    if (!schema?.enum) throw new Error(`${operationId} has no list of values for ${member}`);
    const about = `Values of \`${member}\` in \`${operationId}\`. Later versions may add values.`;
    return `${comment(about)}export const ${name}: readonly string[] = ${JSON.stringify(schema.enum)};`;
  });
}

/** The operations that are not part of the SDK: probes, and two other paths of the same create. */
const leftOut = new Set(['getLiveness', 'getReadiness', 'makeOrder', 'createPayment']);

/**
 * @param document the OpenAPI document
 * @param version the version of the SDK
 * @returns the text of `packages/sdk/src/generated/api.ts`, not yet formatted
 */
export function createSdkTypes(document: JsonObject, version: string): string {
  const { components, paths } = document as unknown as {
    components: { schemas: Record<string, Schema> };
    paths: Record<string, Record<string, Operation>>;
  };
  const problem = components.schemas['Problem']?.properties;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !leftOut.has(operation.operationId))
      .map(([method, operation]): [string, string, Operation] => [method.toUpperCase(), path, operation]),
  );
  return [
    '// Generated from docs/openapi.json. Run: npm run generate',
    `export const version = ${JSON.stringify(version)};`,
    listOf('KnownCode', problem?.['code'], 'The error codes of this version. Later versions may add codes.'),
    listOf(
      'KnownInputCode',
      problem?.['errors']?.items?.properties?.['code'],
      'The codes of entries in `errors`. Later versions may add codes.',
    ),
    ...Object.entries(components.schemas).map(([name, schema]) =>
      declare(name, typeOf(schema, 'response'), schema.description),
    ),
    ...operations.flatMap(([method, path, operation]) => declareOperation(operation, `${method} ${path}`)),
    '// Each operation: its method, its path, and the names that its query and body have.',
    declareOperations(operations),
    ...declareSuggested(operations.map(([, , operation]) => operation)),
    '',
  ].join('\n\n');
}
