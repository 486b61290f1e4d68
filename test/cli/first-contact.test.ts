import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { operatorSettings, runOps } from '../support/operator-commands';
import { startService, type TestService } from '../support/service';
import { longTest, sample } from '../support/full-run';

/** Long lists, empty lists, typing errors and renamed companies. */
let service: TestService;
const operatorWith = (settings: Record<string, string>, ...words: string[]) =>
  runOps(words, { ...operatorSettings(service.database), ...settings });
const operator = (...words: string[]) => operatorWith({}, ...words);

beforeAll(async () => {
  service = await startService();
  const company = await service.addCompany('Acme');
  const projectId = await addProject(service.database.admin, { name: 'Wells for Kisumu' });
  for (let number = 0; number < 3; number += 1) {
    await company.test
      .put('/company/integration/contributions/create', {
        project_id: projectId,
        amount: '1',
        user_hash: 'u',
      })
      .expect(201);
  }
});
afterAll(() => service.stop());

test.each(
  sample(
    [
      ['contributions', 'list'],
      ['events', 'list'],
    ],
    2,
  ),
)('%s %s says that there are more, and shows them', async (...command) => {
  const first = await operator(...command, '--limit', '2');
  expect(first.output).toContain('More rows exist. See them with --skip 2');
  const rest = await operator(...command, '--limit', '2', '--skip', '2');
  expect(rest.output).not.toContain('More rows exist');
  const ids = `${first.output}${rest.output}`.match(/\b[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}\b/g) ?? [];
  expect(new Set(ids).size).toBe(3);
});

test('JSON says whether more rows exist', async () => {
  const { output } = await operator('contributions', 'list', '--limit', '3', '--json');
  expect(JSON.parse(output)).toMatchObject({ contributions: [{}, {}, {}], has_more: false });
});

test('overdue says so if nothing is overdue', async () => {
  const { exitCode, output } = await operator('contributions', 'overdue');
  expect([exitCode, output]).toEqual([0, 'Nothing is overdue.\n']);
});

longTest.each([
  ['K7Q20CR5M3V9HXG', 'The last character (the check character) does not match the rest'],
  ['K7Q20CR5', 'A transaction_id has 15 characters, but this text has 8'],
])('a wrong transaction_id, %s, gets a message about its mistake', async (id, message) => {
  const { exitCode, output } = await operator('contributions', 'show', id);
  expect([exitCode, output]).toEqual([2, expect.stringContaining(message)]);
});

longTest('renaming a company is recorded, and the new name must be unique', async () => {
  await operate(service.database, ({ companies }) => companies.create('Old'));
  expect((await operator('companies', 'rename', 'Old', 'Acme')).output).toContain(
    'A company named "Acme" already exists',
  );
  expect((await operator('companies', 'rename', 'Nobody', 'New')).output).toContain(
    'There is no company named',
  );
  expect((await operator('companies', 'rename', 'Old', 'New')).exitCode).toBe(0);
  expect((await operator('companies', 'show', 'New')).exitCode).toBe(0);
  expect((await operator('actions', 'list', '--command', 'companies rename')).output).toContain(
    '"new_name":"New"',
  );
});

longTest('renaming a company to its current name reports no change', async () => {
  await operate(service.database, ({ companies }) => companies.create('Same'));
  const rename = (...words: string[]) => operator('companies', 'rename', ...words, '--json');
  const answerTo = async (...words: string[]): Promise<unknown> =>
    JSON.parse((await rename(...words)).output);
  expect(await answerTo('Same', 'Same')).toEqual({ former_name: 'Same', name: 'Same', changed: false });
  expect(await answerTo('Same', 'Other')).toEqual({ former_name: 'Same', name: 'Other', changed: true });
  expect((await rename('Same', 'Same')).exitCode).toBe(1);
});

longTest('keys issue and keys rotate print times in whole seconds, as lists do', async () => {
  const whole = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n`;
  await operate(service.database, ({ companies }) => companies.create('Rotating'));
  const issued = await operator('keys', 'issue', 'test', 'Rotating', '--expires-in-days', '30');
  expect(issued.output).toMatch(new RegExp(`^expires_at +${whole}`, 'm'));
  const [apiKey = ''] = /cpk_test_\w+/.exec(issued.output) ?? [];
  const rotated = await operator('keys', 'rotate', apiKey, '--expires-in-days', '90');
  expect(rotated.output).toMatch(new RegExp(`^old_expires_at +${whole}expires_at +${whole}`, 'm'));
});

test('projects can be searched by name and reference, and shown', async () => {
  const found = await operator('projects', 'list', '--search', 'kisumu', '--json');
  const { projects } = JSON.parse(found.output) as { projects: { reference: string }[] };
  expect(projects).toHaveLength(1);
  expect((await operator('projects', 'list', '--search', '%')).output).toContain('No projects found');
  const shown = await operator('projects', 'show', projects[0]!.reference, '--json');
  expect(JSON.parse(shown.output)).toMatchObject({
    name: 'Wells for Kisumu',
    status: 'active',
    highlights: [],
  });
  expect((await operator('projects', 'show', 'nothing')).exitCode).toBe(1);
});

test('overdue uses the setting OVERDUE_AFTER_HOURS, unless --hours is given', async () => {
  // One by one, because Citus accepts DDL only as a single statement.
  for (const text of [
    'ALTER TABLE transactions DISABLE TRIGGER transactions_guard',
    "UPDATE transactions SET created_at = (created_at AT TIME ZONE 'UTC' - interval '3 hours') AT TIME ZONE 'UTC'",
    'ALTER TABLE transactions ENABLE TRIGGER transactions_guard',
  ])
    await service.database.admin.query(text);
  const overdue = async (...words: string[]): Promise<number> => {
    const settings = { OVERDUE_AFTER_HOURS: '2' };
    const { output } = await operatorWith(settings, 'contributions', 'overdue', '--json', ...words);
    return (JSON.parse(output) as { contributions: unknown[] }).contributions.length;
  };
  expect([await overdue(), await overdue('--hours', '4')]).toEqual([3, 0]);
});
