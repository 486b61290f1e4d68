import { createContracts, listContracts, webhookMessagesContract } from '../../src/contracts';
import { postmanCollection, postmanEnvironment } from '../../src/documentation/postman';
import type { ReferenceDocument } from '../../src/documentation/reference';
import { createOpenApiDocument } from '../../src/http/openapi';

const publicBaseUrl = 'https://contributions.example';
const contracts = listContracts(createContracts({ minimumCents: 1n, maximumCents: 765_400n }));
const document = createOpenApiDocument(
  contracts,
  webhookMessagesContract,
  '1.2.3',
) as unknown as ReferenceDocument;

interface Item {
  name: string;
  request: {
    method: string;
    url: { raw: string; path: string[]; query?: { key: string; disabled: boolean }[] };
    header: { key: string; value: string }[];
    body?: { raw: string; options: { raw: { language: string } } };
  };
  response: { code: number; body: string }[];
}
const collection = postmanCollection({ contracts, document, publicBaseUrl }) as {
  item: { name: string; item: Item[] }[];
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
  expect(sent.map(({ key }) => key)).toEqual(['from', 'to']);
});

test('bodies and examples are those of the documentation', () => {
  const create = items.find(({ request }) => request.url.raw.endsWith('/contributions/create'));
  expect(JSON.parse(create!.request.body!.raw)).toMatchObject({ project_id: expect.anything() as unknown });
  expect(create!.response.map(({ code }) => code)).toEqual([201]);
  expect(items.filter(({ response }) => response.length > 0).length).toBeGreaterThan(40);
});
