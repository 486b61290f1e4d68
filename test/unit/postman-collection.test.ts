import { runInNewContext } from 'node:vm';

import { listContracts, listErrors, listMessages } from '../../src/contracts';
import { postmanCollection, postmanEnvironment } from '../../src/features/documentation/postman';
import type { ReferenceDocument } from '../../src/features/documentation/reference';
import { createOpenApiDocument } from '../../src/http/openapi';

const publicBaseUrl = 'https://contributions.example';
const contracts = listContracts({ minimumCents: 1n, maximumCents: 765_400n });
const document = createOpenApiDocument(
  contracts,
  listMessages(),
  listErrors(),
  '1.2.3',
) as unknown as ReferenceDocument;

interface Event {
  listen: string;
  script: { exec: string[] };
}
interface Item {
  name: string;
  event?: Event[];
  request: {
    method: string;
    url: { raw: string; path: string[]; query?: { key: string; value: string; disabled: boolean }[] };
    header: { key: string; value: string }[];
    body?: { raw: string; options: { raw: { language: string } } };
  };
  response: { code: number; body: string }[];
}
const collection = postmanCollection({ contracts, document, publicBaseUrl }) as {
  item: { name: string; item: Item[] }[];
  event: Event[];
  variable: { key: string; value: string }[];
};
const environment = postmanEnvironment(publicBaseUrl) as {
  values: { key: string; value: string; type: string }[];
};
const items = collection.item.flatMap(({ item }) => item);

test('has each operation once, in the folder of its resource', () => {
  const pathOf = ({ request: { method, url } }: Item): string =>
    `${method} ${url.raw.replace('{{CONTRIBUTION_API_URL}}', '/company/integration').replace(/:(\w+)/g, '{$1}')}`;
  expect(items.map(pathOf).sort()).toEqual(
    contracts.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
  );
  expect(collection.item.length).toBeGreaterThan(5);
  for (const { item } of collection.item) expect(item.length).toBeGreaterThan(0);
});

test('sends the key pair of the environment, and a new Idempotency-Key with each create', () => {
  for (const { request } of items) {
    expect(request.header).toContainEqual({ key: 'API-Key', value: '{{CONTRIBUTION_API_KEY}}' });
    expect(request.header).toContainEqual({ key: 'API-Secret', value: '{{CONTRIBUTION_API_SECRET}}' });
  }
  const keys = items.flatMap(({ request: { header } }) =>
    header.filter(({ key }) => key === 'Idempotency-Key'),
  );
  expect(keys.map(({ value }) => value)).toEqual(['{{$guid}}', '{{$guid}}', '{{$guid}}']);
});

test('has no key pair, and the environment masks the secret', () => {
  expect(JSON.stringify([collection, environment])).not.toMatch(/cp[ks]_(test|production)_\w/);
  const url = `${publicBaseUrl}/company/integration`;
  expect(environment.values).toEqual([
    { key: 'CONTRIBUTION_API_URL', value: url, type: 'default', enabled: true },
    { key: 'CONTRIBUTION_API_KEY', value: '', type: 'default', enabled: true },
    { key: 'CONTRIBUTION_API_SECRET', value: '', type: 'secret', enabled: true },
  ]);
});

test('each variable of a path has a value, and no optional parameter is sent', () => {
  const known = new Set(collection.variable.map(({ key }) => key));
  for (const { request } of items) {
    for (const segment of request.url.path)
      if (segment.startsWith(':')) expect(known).toContain(segment.slice(1));
  }
  expect(collection.variable.filter(({ value }) => value === '')).toEqual([]);
  const sent = items.flatMap(({ request: { url } }) => (url.query ?? []).filter(({ disabled }) => !disabled));
  // Totals, the days, reconciliation and entries of an account, and what keeps a month open.
  const range = ['from', 'to'];
  const keys = [...range, ...range, ...range, ...range, 'month'];
  expect(sent.map(({ key }) => key)).toEqual(keys);
});

test('bodies and examples are those of the documentation', () => {
  const create = items.find(({ request }) => request.url.raw.endsWith('/contributions/create'));
  expect(JSON.parse(create!.request.body!.raw)).toMatchObject({ project_id: expect.anything() as unknown });
  expect(create!.response.map(({ code }) => code)).toEqual([201]);
  expect(items.filter(({ response }) => response.length > 0).length).toBeGreaterThan(40);
});

/** Runs a script of the collection. Returns the variables, and whether the request is sent. */
function runScript({ script }: Event, variables: Record<string, string>, body: object = {}) {
  const values = new Map(Object.entries(variables));
  let isSent = true;
  const pm = {
    variables: { get: (name: string) => values.get(name) },
    collectionVariables: { set: (name: string, value: string) => void values.set(name, value) },
    execution: { skipRequest: () => (isSent = false) },
    response: { code: 200, headers: { get: () => 'application/json' }, json: () => body },
  };
  runInNewContext(script.exec.join('\n'), { pm, console: { log: () => undefined } });
  return { isSent, values: Object.fromEntries(values) };
}

test('a run skips what changes or removes things that it did not create, until the reader allows it', () => {
  const guarded = items.filter(({ event }) => event !== undefined);
  expect(guarded.map(({ name }) => name).sort()).toEqual(
    [
      'Change a webhook endpoint',
      'Close a month',
      'Delete a webhook endpoint',
      'Disable a webhook endpoint',
      'Reopen a month',
      'Replace the sandbox settings',
      'Reset the test environment',
      "Rotate a webhook endpoint's secret",
      'Set the coverage and the direction of an account',
      'Take back that two numbers are one account',
    ]
      .map((name) => `${name} (needs allow_changes)`)
      .sort(),
  );
  const given = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
  for (const [event, ...others] of guarded.map((item) => item.event!)) {
    expect([event!.listen, others]).toEqual(['prerequest', []]);
    expect(runScript(event!, given).isSent).toBe(false);
    expect(runScript(event!, {}).isSent).toBe(false);
    expect(runScript(event!, { allow_changes: 'true' }).isSent).toBe(true);
  }
});

test.each([
  ['endpoint_id', { endpoint_id: 'a' }],
  ['endpoint_id', { data: [{ endpoint_id: 'a' }, { endpoint_id: 'b' }] }],
  ['transaction_id', { transaction_id: 'a' }],
  ['entry_id', { data: [{ entry_id: 'a' }] }],
])('a response sets %s for the requests that follow', (name, body) => {
  const [{ listen, ...event }] = collection.event as [Event];
  expect(listen).toBe('test');
  expect(runScript({ listen, ...event }, { [name]: 'old' }, body).values).toEqual({ [name]: 'a' });
  expect(runScript({ listen, ...event }, { [name]: 'old' }, { data: [] }).values).toEqual({ [name]: 'old' });
});
