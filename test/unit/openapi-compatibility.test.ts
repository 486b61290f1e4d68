import { readFileSync } from 'node:fs';
import path from 'node:path';

import { breakingChanges } from '../../scripts/openapi/compatibility/breaking-changes';
import type { JsonObject } from '../../src/http/openapi/json';

/**
 * Makes each kind of breaking change to a copy of the document and expects the check to find it.
 * Additions are not breaking.
 */
const wholeText = readFileSync(path.join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8');
const readWhole = (): JsonObject => JSON.parse(wholeText) as JsonObject;
/** A part of the document, because reading and comparing all of it takes a tenth of a second. */
const text = JSON.stringify(
  withPaths(readWhole(), [
    '/company/integration/get/projects',
    '/company/integration/contributions',
    '/company/integration/contributions/create',
    '/company/integration/contributions/{transaction_id}',
    '/company/integration/orders/make',
    '/company/integration/events',
    '/health/live',
  ]),
);
const readDocument = (): JsonObject => JSON.parse(text) as JsonObject;

function withPaths(document: JsonObject, kept: readonly string[]): JsonObject {
  const paths = Object.entries(document['paths'] as JsonObject);
  return { ...document, paths: Object.fromEntries(paths.filter(([name]) => kept.includes(name))) };
}

type Place = readonly (string | number)[];
type Change = (all: JsonObject) => void;

/** The value at a place, which must exist. */
function at(all: JsonObject, place: Place): Record<string | number, unknown> {
  return place.reduce<Record<string | number, unknown>>((part, key) => {
    const next = part[key];
    if (typeof next !== 'object' || next === null) throw new Error(`${place.join(' → ')}: no ${key}`);
    return next as Record<string | number, unknown>;
  }, all);
}

const listAt = (all: JsonObject, place: Place): unknown[] => at(all, place) as unknown as unknown[];

/** Changes or adds a value. */
const set =
  (value: unknown, ...place: Place): Change =>
  (all) => {
    at(all, place.slice(0, -1))[place.at(-1)!] = value;
  };

/** Removes an existing value. */
const remove =
  (...place: Place): Change =>
  (all) => {
    const parent = at(all, place.slice(0, -1));
    if (!Reflect.has(parent, place.at(-1)!)) throw new Error(`${place.join(' → ')} is not there`);
    Reflect.deleteProperty(parent, place.at(-1)!);
  };

const push =
  (value: unknown, ...place: Place): Change =>
  (all) => {
    listAt(all, place).push(value);
  };

/** Removes a value from a list. */
const withdraw =
  (value: unknown, ...place: Place): Change =>
  (all) => {
    const list = listAt(all, place);
    if (!list.includes(value)) throw new Error(`${String(value)} is not there`);
    list.splice(list.indexOf(value), 1);
  };

const both =
  (...changes: Change[]): Change =>
  (all) => {
    for (const change of changes) change(all);
  };

const listPath = '/company/integration/get/projects';
const createPath = '/company/integration/contributions/create';
const contributionsPath = '/company/integration/contributions';
const ordersPath = '/company/integration/orders/make';
const json = 'application/json';

const list: Place = ['paths', listPath, 'get'];
const listed: Place = [...list, 'responses', '200', 'content', json, 'schema'];
const create: Place = ['paths', createPath, 'put'];
const body: Place = [...create, 'requestBody', 'content', json, 'schema'];
const conflictCodes: Place = [
  ...[...create, 'responses', '409', 'content', 'application/problem+json'],
  ...['schema', 'allOf', 1, 'properties', 'code', 'enum'],
];
const schemas: Place = ['components', 'schemas'];
const project: Place = [...schemas, 'Project', 'properties'];

const filters = listAt(readDocument(), ['paths', contributionsPath, 'get', 'parameters']) as {
  name: string;
}[];
const filter = (name: string): Place => [
  ...['paths', contributionsPath, 'get', 'parameters'],
  filters.findIndex((parameter) => parameter.name === name),
];

function breaksOf(change: Change): string[] {
  const after = readDocument();
  change(after);
  expect(JSON.stringify(after)).not.toBe(JSON.stringify(readDocument()));
  return breakingChanges(readDocument(), after);
}

test('the document is compatible with itself', () => {
  expect(breakingChanges(readWhole(), readWhole())).toEqual([]);
});

describe('a breaking change of operations is found:', () => {
  test.each<[string, Change, RegExp]>([
    [
      'one was removed',
      remove('paths', `${contributionsPath}/{transaction_id}`, 'get'),
      /^GET .*: was removed$/,
    ],
    ['a path was removed', remove('paths', ordersPath), /^POST .*orders\/make: was removed$/],
    [
      'a name for generated clients was changed',
      set('projects', ...list, 'operationId'),
      /operationId changed/,
    ],
    ['the scope was changed', set('contributions:read', ...list, 'x-scope'), /x-scope changed/],
    ['credentials are needed now', remove('paths', '/health/live', 'get', 'security'), /security changed/],
    ['other credentials are needed', push({ OAuth: [] }, 'security'), /security changed/],
    [
      'credentials have another name',
      set('X-API-Key', 'components', 'securitySchemes', 'ApiKey', 'name'),
      /name changed from "API-Key"/,
    ],
    [
      'credentials were removed',
      remove('components', 'securitySchemes', 'ApiSecret'),
      /ApiSecret: was removed/,
    ],
  ])('%s', (_what, change, found) => {
    expect(breaksOf(change)).toContainEqual(expect.stringMatching(found));
  });
});

const newParameter = (more: JsonObject): JsonObject => ({
  name: 'Country',
  in: 'query',
  schema: {},
  ...more,
});

describe('a breaking change of requests is found:', () => {
  test.each<[string, Change, RegExp]>([
    [
      'a parameter was removed',
      (all) => listAt(all, filter('status').slice(0, -1)).shift(),
      /status: was removed/,
    ],
    [
      'a required parameter was added',
      push(newParameter({ required: true }), ...list, 'parameters'),
      /query parameter Country: is required now/,
    ],
    [
      'a required header was added',
      push(newParameter({ required: true, in: 'header' }), ...list, 'parameters'),
      /header parameter country: is required now/,
    ],
    ['a parameter became required', set(true, ...filter('status'), 'required'), /status: is required now/],
    ['a parameter moved', set('header', ...filter('status'), 'in'), /query parameter status: was removed/],
    [
      "a parameter's type was changed",
      set('boolean', ...filter('limit'), 'schema', 'type'),
      /limit: type changed/,
    ],
    [
      "a parameter's enum was narrowed",
      withdraw('pending', ...filter('status'), 'schema', 'enum'),
      /values changed/,
    ],
    [
      "a parameter's limit was lowered",
      set(500, ...filter('limit'), 'schema', 'maximum'),
      /maximum changed from 1000 to 500/,
    ],
    [
      "a parameter's default was changed",
      set(10, ...filter('limit'), 'schema', 'default'),
      /default changed/,
    ],
    ['a text must be shorter', set(512, ...filter('user_hash'), 'schema', 'maxLength'), /maxLength changed/],
    ['a text must be longer', set(8, ...filter('user_hash'), 'schema', 'minLength'), /minLength changed/],
    [
      'a text has another pattern',
      set('^[a-z]*$', ...filter('user_hash'), 'schema', 'pattern'),
      /pattern changed/,
    ],
    ['a member became required', push('name', ...body, 'required'), /name: is required now/],
    ['a member was removed', remove(...body, 'properties', 'name'), /name: was removed/],
    [
      "a member's type was narrowed",
      set('string', ...body, 'properties', 'amount', 'type'),
      /amount: type changed from \["string","number"\]/,
    ],
    [
      "a member's bound was lowered",
      set(50, ...body, 'properties', 'name', 'maxLength'),
      /name: maxLength changed/,
    ],
    [
      "a member's bound was added",
      set(9, ...body, 'properties', 'project_id', 'maximum'),
      /project_id: maximum/,
    ],
    [
      'the largest amount was lowered',
      set('1000.00', ...body, 'properties', 'amount', 'x-maximum'),
      /x-maximum/,
    ],
    [
      'the smallest amount was raised',
      set('1.00', ...body, 'properties', 'amount', 'x-minimum'),
      /x-minimum/,
    ],
    ["a member's format was added", set('email', ...body, 'properties', 'name', 'format'), /format changed/],
    [
      'further members are rejected',
      set(false, ...body, 'additionalProperties'),
      /additionalProperties changed/,
    ],
    [
      'an unknown keyword was added',
      set({ const: 'X' }, ...body, 'properties', 'name', 'not'),
      /not changed/,
    ],
    [
      'a media type was removed',
      remove('paths', ordersPath, 'post', 'requestBody', 'content', 'multipart/form-data'),
      /multipart\/form-data: was removed/,
    ],
    [
      'a body is needed now',
      set({ required: true, content: {} }, ...list, 'requestBody'),
      /body: is required now/,
    ],
  ])('%s', (_what, change, found) => {
    expect(breaksOf(change)).toContainEqual(expect.stringMatching(found));
  });
});

describe('a breaking change of responses is found:', () => {
  test.each<[string, Change, RegExp]>([
    ['a status was removed', remove(...create, 'responses', '409'), /409: was removed/],
    ['another success was added', set({}, ...create, 'responses', '202'), /202: was added/],
    [
      'an error code was removed',
      withdraw('project_not_accepting', ...conflictCodes),
      /409 .*: the error code project_not_accepting was removed/,
    ],
    ['a member was removed', remove(...listed, 'properties', 'has_more'), /has_more: was removed/],
    [
      'a member of a shared schema was removed',
      remove(...project, 'summary'),
      /data\[\]\/summary: was removed/,
    ],
    [
      'a member may be absent now',
      withdraw('has_more', ...listed, 'required'),
      /has_more: may be absent now/,
    ],
    [
      "a member's type was changed",
      set('string', ...project, 'project_id', 'type'),
      /project_id: type changed/,
    ],
    [
      'a member may be null now',
      set(['string', 'null'], ...project, 'summary', 'type'),
      /summary: type changed/,
    ],
    [
      'a closed list got another value',
      push('draft', ...project, 'status', 'enum'),
      /status: values changed/,
    ],
    ['a list became free text', remove(...project, 'status', 'enum'), /status: values changed/],
    [
      'a time has another form',
      set('date', ...project, 'created_at', 'format'),
      /created_at: format changed/,
    ],
    [
      'elements were changed',
      set({ type: 'string' }, ...listed, 'properties', 'data', 'items'),
      /data\[\]: type/,
    ],
    ['elements may be anything', remove(...listed, 'properties', 'data', 'items'), /data: items changed/],
    [
      'a header was removed',
      remove(...create, 'responses', '201', 'headers', 'Location'),
      /Location: was removed/,
    ],
    [
      'a header may be absent now',
      set(false, 'components', 'headers', 'Environment', 'required'),
      /Environment: may be absent now/,
    ],
    [
      "a header's values were changed",
      push('staging', 'components', 'headers', 'Environment', 'schema', 'enum'),
      /Environment: values changed/,
    ],
    [
      'another media type may come',
      set({}, ...list, 'responses', '200', 'content', 'text/xml'),
      /text\/xml: was added/,
    ],
    [
      'a member of problem documents was removed',
      remove(...schemas, 'Problem', 'properties', 'errors'),
      /errors: was removed/,
    ],
    [
      'the response to an unknown method was changed',
      remove('components', 'responses', 'MethodNotAllowed', 'headers', 'Allow'),
      /MethodNotAllowed header Allow: was removed/,
    ],
  ])('%s', (_what, change, found) => {
    expect(breaksOf(change)).toContainEqual(expect.stringMatching(found));
  });
});

describe('an addition breaks nothing:', () => {
  test.each<[string, Change]>([
    ['an operation', set({ get: {} }, 'paths', '/company/integration/banks')],
    ['an optional parameter', push(newParameter({}), ...list, 'parameters')],
    ['an optional member of a request', set({ type: 'string' }, ...body, 'properties', 'country')],
    ['a member that became optional', withdraw('user_hash', ...body, 'required')],
    ['a larger limit', set(2000, ...filter('limit'), 'schema', 'maximum')],
    ['a larger amount', set('10000000.00', ...body, 'properties', 'amount', 'x-maximum')],
    ['a longer text', set(200, ...body, 'properties', 'name', 'maxLength')],
    ['a further value of a parameter', push('refunded', ...filter('status'), 'schema', 'enum')],
    [
      'a further type of a member of a request',
      set(['integer', 'string'], ...body, 'properties', 'project_id', 'type'),
    ],
    ['a further media type of requests', set({}, ...create, 'requestBody', 'content', 'multipart/form-data')],
    ['a member of a response', set({ type: 'integer' }, ...listed, 'properties', 'total')],
    [
      'a required member of a response',
      both(set({ type: 'integer' }, ...listed, 'properties', 'total'), push('total', ...listed, 'required')),
    ],
    ['CSV on request', set({}, ...create, 'responses', '201', 'content', 'text/csv')],
    ['a header of a response', set({ schema: {} }, ...list, 'responses', '200', 'headers', 'X-Total')],
    ['an error status', set({}, ...list, 'responses', '418')],
    ['304 for conditional requests', set({}, ...create, 'responses', '304')],
    ['an error code', push('project_full', ...conflictCodes)],
    ['a value of an open list', push('refunded', ...schemas, 'Contribution', 'properties', 'status', 'enum')],
    ['a description', set('Every project.', ...list, 'description')],
    ['an example', set({ data: [] }, ...list, 'responses', '200', 'content', json, 'example')],
    [
      'a schema that became a reference',
      (all) => {
        set(at(all, listed), ...schemas, 'Projects')(all);
        set({ $ref: '#/components/schemas/Projects' }, ...listed)(all);
      },
    ],
  ])('%s', (_what, change) => {
    expect(breaksOf(change)).toEqual([]);
  });
});

describe('events and webhooks', () => {
  const event: Place = [...schemas, 'Event'];
  const ofContribution: Place = [...schemas, 'ContributionEvent', 'properties'];

  test.each<[string, Change, RegExp]>([
    ['a webhook was removed', remove('webhooks', 'ping'), /^webhook ping: was removed$/],
    [
      'a kind of event was removed',
      (all) => listAt(all, [...event, 'oneOf']).pop(),
      /or #.*Event: was removed/,
    ],
    ['a member of an event was removed', remove(...ofContribution, 'sequence'), /sequence: was removed/],
    [
      'a member of a ping was removed',
      remove(...schemas, 'PingEvent', 'properties', 'id'),
      /id: was removed/,
    ],
  ])('a breaking change is found: %s', (_what, change, found) => {
    expect(breaksOf(change)).toContainEqual(expect.stringMatching(found));
  });

  test('further types of events break no client', () => {
    const change = both(
      push({ $ref: '#/components/schemas/Link' }, ...event, 'oneOf'),
      set({ post: {} }, 'webhooks', 'company.created'),
    );
    expect(breaksOf(change)).toEqual([]);
  });
});
