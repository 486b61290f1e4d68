import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';

/** Names of companies are compared by a skeleton, which the database computes. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const insert = (name: string) =>
  database.admin.query('INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), $1)', [name]);

test.each([
  ['case', 'Acme Wallet', 'ACME wallet'],
  ['case outside ASCII', 'Öresund Ärzte', 'ÖRESUND ÄRZTE'],
  ['a letter whose upper case has two letters', 'Straßenbank', 'STRASSENBANK'],
  ['spaces', 'Two  Spaces', ' two spaces '],
  ['other spaces', 'No-break Space', 'No-break\u00a0Space'],
  ['a wide letter', 'Wide Bank', 'Ｗide Ｂank'],
  ['a ligature', 'Office Bank', 'Oﬃce Bank'],
  ['a combining accent', 'Caf\u00e9', 'Cafe\u0301'],
  ['a zero-width space', 'Zero Width', 'Zero\u200b Width'],
  ['a soft hyphen', 'Hyphen Bank', 'Hy\u00adphen Bank'],
  ['a change of direction', 'Direction', 'Dire\u202ection'],
  ['a tag character', 'Tagged', 'Tag\u{e0041}ged'],
])('the database rejects a second name that differs only in %s', async (_what, name, same) => {
  await insert(name);
  await expect(insert(same)).rejects.toMatchObject({ constraint: 'companies_name_skeleton' });
});

test('names with other letters, accents or punctuation are different', async () => {
  for (const name of ['Resume', 'Résumé', 'Re-sume', 'Resume 1', 'Rеsume']) await insert(name);
});

test('the migration names companies whose names count as equal, and changes nothing', async () => {
  const options = { connectionString: database.ownerUrl };
  const reverted: (string | undefined)[] = [];
  while (!reverted.at(-1)?.includes('names_of_companies')) reverted.push(await migrateDown(options));
  await insert('Double Bank');
  await insert('double\u200b bank');
  await insert('Another');
  const message = await migrateUp(options).catch((error: unknown) => String(error));
  expect(message).toMatch(
    /"Double Bank" \(company_id [0-9a-f-]{36}\) and "double<U\+200B> bank" \(company_id [0-9a-f-]{36}\)\. Rename all but one/,
  );
  expect(message).not.toContain('Another');
  await database.admin.query(`UPDATE companies SET name = 'Second Bank' WHERE name LIKE 'double%'`);
  await migrateUp(options);
  const found = await operate(
    database,
    ({ companiesOverview }) => companiesOverview.list('DOUBLE BANK'),
    'read',
  );
  expect(found).toMatchObject([{ name: 'Double Bank' }]);
});
