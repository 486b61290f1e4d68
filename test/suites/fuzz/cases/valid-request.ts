import type { KeyPair } from '../../../../src/modules/key-pairs/credentials';
import type { Random } from '../../faults/random';
import type { Operation, Parameter, ValueSchema } from '../operations';
import type { RequestParts } from './request-parts';
import { asHeaderBytes } from './hostile-text';

/** An environment that takes part, with what is there in it to ask for. */
export interface FuzzEnvironment {
  readonly pair: KeyPair;
  /** Transactions that this pair may see. */
  readonly transactionIds: readonly string[];
}

/**
 * What requests are made of besides the contracts. What the service draws by itself, keys and ids,
 * is different in each run.
 */
export interface FuzzWorld {
  readonly environments: readonly FuzzEnvironment[];
  /** Pairs that are refused, or may not do everything. */
  readonly odd: readonly KeyPair[];
  readonly projectIds: readonly number[];
  readonly storyIds: readonly number[];
  /** Sent with each request: what a proxy in front would add. */
  readonly headers: readonly [name: string, value: string][];
}

const userHashes = [
  'q2Zk1sV0uYc9rA7dT5xNfg==',
  'a+b/c=',
  '!~',
  'x'.repeat(344),
  'user-1',
  'user-2',
  'user-3',
];

/** What makes sense in a field of this name, where the schema alone cannot tell. */
function meaningful(name: string, world: FuzzWorld, environment: FuzzEnvironment, random: Random): unknown {
  switch (name) {
    case 'project_id':
      return random.pick(world.projectIds);
    case 'story_id':
      return random.pick(world.storyIds);
    case 'transaction_id':
      return random.pick((random.chance(0.8) ? environment : random.pick(world.environments)).transactionIds);
    case 'user_hash':
      return random.pick(userHashes);
    case 'amount':
      return random.pick(['25.00', '0.01', 5, 1.5, '1000000.00']);
    case 'Idempotency-Key':
    case 'idempotency_key':
      return `key-${random.integer(1, 2_000)}`;
    case 'If-None-Match':
      return random.pick(['*', '"never"', 'W/"never"']);
    default:
      return undefined;
  }
}

function fromSchema(schema: ValueSchema, random: Random): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  if (schema.format === 'date-time') return `2026-0${random.integer(1, 9)}-01T00:00:00Z`;
  if (schema.format === 'date') return '2026-01-31';
  if (schema.type === 'integer') {
    return random.integer(schema.minimum ?? 1, Math.min(schema.maximum ?? 100, 100));
  }
  return schema.examples?.[0] ?? 'text';
}

/** A valid request for an operation, made from what is published about it. */
export function validRequest(
  operation: Operation,
  world: FuzzWorld,
  environment: FuzzEnvironment,
  requestId: string,
  random: Random,
): RequestParts {
  const valueOf = (name: string, schema: ValueSchema): unknown =>
    meaningful(name, world, environment, random) ?? fromSchema(schema, random);
  // A cursor that says nothing is wrong, and a list without filters is what most ask for.
  const wanted = ({ name, required, in: place }: Parameter): boolean =>
    required || (name !== 'cursor' && random.chance(place === 'query' ? 0.35 : 0.6));
  const given = operation.parameters
    .filter((parameter) => wanted(parameter) && parameter.name !== 'X-Request-Id')
    .map((parameter) => ({ ...parameter, value: String(valueOf(parameter.name, parameter.schema)) }));

  const inPlace = (place: Parameter['in']): [string, string][] =>
    given.filter((parameter) => parameter.in === place).map(({ name, value }) => [name, value]);
  const path = inPlace('path').reduce(
    (template, [name, value]) => template.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  );
  const members = Object.entries(operation.body?.properties ?? {})
    .filter(([name]) => operation.body?.required?.includes(name) === true || random.chance(0.5))
    .map(([name, schema]): [string, unknown] => [name, valueOf(name, schema)]);
  const asForm = operation.mediaTypes.includes('multipart/form-data') && random.chance(0.5);
  const boundary = 'the-boundary-0';
  const mediaHeaders: [string, string][] = operation.body
    ? [['Content-Type', asForm ? `multipart/form-data; boundary=${boundary}` : 'application/json']]
    : [];
  return {
    method: operation.method,
    path,
    query: inPlace('query').map(([name, value]) => [name, encodeURIComponent(value)]),
    version: 'HTTP/1.1',
    headers: [
      ['Host', 'service.example'],
      // A copy: what is made of it is for mutations to change.
      ...world.headers.map(([name, value]): [string, string] => [name, value]),
      ['API-Key', environment.pair.apiKey],
      ['API-Secret', environment.pair.apiSecret],
      ['X-Request-Id', requestId],
      ...inPlace('header').map(([name, value]): [string, string] => [name, asHeaderBytes(value)]),
      ...mediaHeaders,
    ],
    body: !operation.body
      ? { media: 'none' }
      : asForm
        ? {
            media: 'multipart',
            boundary,
            parts: members.map(([name, value]) => ({
              head: `Content-Disposition: form-data; name="${name}"`,
              value: String(value),
            })),
            end: `--${boundary}--\r\n`,
          }
        : {
            media: 'json',
            members: members.map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)]),
          },
    framing: random.chance(0.15) ? 'chunked' : 'length',
  };
}
