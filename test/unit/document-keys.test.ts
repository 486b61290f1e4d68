import { readFileSync } from 'node:fs';
import path from 'node:path';

import { documents } from '../support/document-reader';
import { root } from '../support/program';

/**
 * A reader runs the samples of several documents with one key pair. A key that two documents use
 * for different requests gets 422 or 409 in the second.
 */
const texts = new Map(
  [...Object.values(documents), 'docs/guides/webhooks.md', 'docs/guides/limits.md', 'docs/openapi.json'].map(
    (file) => [file, readFileSync(path.join(root, file), 'utf8')],
  ),
);

const order = /\border-\d+\b/g;
const reference = /\b(?:FT|RT|PA)-2026-\d+\b/g;
/** What identifies a statement: its number, its account and its entries. */
const statement = /(?<=<Id>)[A-Z][\w-]+(?=<)|\b9900000\d+\b|(?<=<AcctSvcrRef>)[\w-]+/g;

function usersOf(pattern: RegExp): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [file, text] of texts)
    for (const key of new Set(text.match(pattern))) users.set(key, [...(users.get(key) ?? []), file]);
  return users;
}

test.each([
  ['order', order, 5],
  ['bank reference', reference, 10],
  ['statement', statement, 8],
])('no two documents have the same %s', (_what, pattern, least) => {
  const users = usersOf(pattern);
  expect(users.size).toBeGreaterThanOrEqual(least);
  expect([...users].filter(([, files]) => files.length > 1)).toEqual([]);
});

test('every idempotency key in a sample is an order, so that the documents can be compared', () => {
  const found = [...texts].flatMap(([file, text]) =>
    [
      ...text.matchAll(
        /Idempotency-Key: ([^'"\n$…`]+)['"]|\bidempotencyKey: '([^']+)'|idempotency_key=([^&'"\s`…]+)/g,
      ),
    ].map(([, header, option, filter]) => `${file}: ${header ?? option ?? filter ?? ''}`),
  );
  expect(found.length).toBeGreaterThan(5);
  // This word of the SDK asks for a generated key.
  expect(found.filter((line) => !/: (order-\d+|ephemeral)$/.test(line))).toEqual([]);
});

test('the address of the API has one name, and ends in /company/integration', () => {
  const addresses = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/\bexport (\w*(?:API|URL))=(.+)/g)].map(
      ([, name, value]) => `${file} ${name} ${value}`,
    ),
  );
  expect(addresses.length).toBeGreaterThan(1);
  expect(addresses.filter((line) => !/ CONTRIBUTION_API_URL .*\/company\/integration$/.test(line))).toEqual(
    [],
  );
  for (const [file, text] of texts)
    expect([file, text.match(/process\.env(?:\.API|\['API)\w*|environ\["API\w*|\$API\w*/g)]).toEqual([
      file,
      null,
    ]);
});
