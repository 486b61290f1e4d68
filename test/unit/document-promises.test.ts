import { errorCatalog } from '../support/errors';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Statements that readers rely on and that must agree in several documents. */
const read = (file: string): string => readFileSync(path.join(__dirname, '..', '..', file), 'utf8');

test('the SDK guide, the reference and the operations manual say that an Idempotency-Key outlives its user', () => {
  const { paths } = JSON.parse(read('docs/openapi.json')) as {
    paths: Record<string, Record<string, { parameters?: { name: string; description?: string }[] }>>;
  };
  const descriptions = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ name }) => name === 'Idempotency-Key')
    .map(({ description }) => description);
  expect(descriptions).toHaveLength(3);
  for (const description of descriptions) expect(description).toMatch(/personal data/);
  expect(read('docs/guides/sdk.md')).toMatch(/Do not put personal data in a key/);
  expect(read('docs/operations/commands.md')).toMatch(/Idempotency keys stay/);
});

test('every document says to retry once after 500 internal_error', () => {
  expect(errorCatalog.internal_error).toMatchObject({
    status: 500,
    advice: expect.stringMatching(/retry once/i) as string,
  });
  const rows = ['bank', 'errors', 'sdk']
    .flatMap((guide) => read(`docs/guides/${guide}.md`).split('\n'))
    .filter((line) => line.startsWith('|') && line.includes('`internal_error`'));
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const row of rows) expect(row).toMatch(/retry once/);
});
