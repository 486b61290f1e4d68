import type { Response } from 'supertest';

import { dayMs } from '../../src/shared/clock';
import { longTest } from '../support/full-run';
import {
  type Line,
  statementFile,
  statementsPath,
  upload,
  type UploadedFile,
  uploadAndMatch,
} from '../support/statement-files';
import { readMoney, setUpStatements } from '../support/statement-setup';

/** The days that the statements of an account cover. Contributions are 25.50 dollars. */
const setup = setUpStatements();

const completed = (evidence = {}): Promise<string> => setup.contributions.createCompleted('25.50', evidence);
const positionOf = async (id: string): Promise<string> => (await readMoney(setup.company.test, id)).position;

test('a numbered statement covers its day only if the previous statement is known', async () => {
  const id = await completed({ value_date: '2026-11-20' });
  const on = (from: string, sequence: number) =>
    uploadAndMatch(setup.company.test, statementFile([], { from, sequence, openingCents: 100_00n }));
  const { statements } = await on('2026-11-20', 2);
  const path = `/company/integration/statement-accounts/${statements[0]!.account_id}`;
  await setup.company.test.put(path, { complete_coverage: true, grace_days: 0 }).expect(200);
  expect(await positionOf(id)).toBe('unconfirmed');
  await on('2026-11-19', 1);
  expect(await positionOf(id)).toBe('completed_without_money');
});

test('a number that is missing between two equal balances is reported', async () => {
  const on = (from: string, sequence: number) =>
    uploadAndMatch(setup.company.test, statementFile([], { from, sequence, openingCents: 100_00n }));
  const continuityOf = async ({ file_id: fileId }: UploadedFile): Promise<string | undefined> => {
    const response: Response = await setup.company.test.get(`${statementsPath}/${fileId}`).expect(200);
    return (response.body as UploadedFile).statements[0]?.continuity;
  };
  await on('2026-11-20', 1);
  const third = await on('2026-11-20', 3);
  expect(await continuityOf(third)).toBe('broken');
  await on('2026-11-20', 2);
  expect(await continuityOf(third)).toBe('continuous');
  const monday = await on('2026-11-23', 5);
  expect(await continuityOf(monday)).toBe('broken');
  await on('2026-11-23', 4);
  expect(await continuityOf(monday)).toBe('continuous');
  // A number that is not 1 cannot start the numbers again.
  const tuesday = await on('2026-11-24', 5);
  expect(await continuityOf(tuesday)).toBe('broken');
  await setup.company.test.post(`${statementsPath}/${tuesday.file_id}/void`, { reason: 'wrong' }).expect(200);
  // The bank numbers the days, also those without a statement.
  expect(await continuityOf(await on('2026-11-25', 7))).toBe('continuous');
});

test('a statement covers no days after its upload, and then not the day of its upload', async () => {
  const day = (from: number): string => new Date(Date.now() + from * dayMs).toISOString().slice(0, 10);
  const cover = async (account: string, to: string): Promise<unknown> => {
    const form = { account, from: day(-40), to, openingCents: 100_00n };
    const { statements } = await uploadAndMatch(setup.company.test, statementFile([], form));
    const [statement] = statements;
    const accounts: Response = await setup.company.test
      .get('/company/integration/statement-accounts')
      .expect(200);
    const { data } = accounts.body as { data: { account_id: string; covered_to: string | null }[] };
    return data.find(({ account_id: id }) => id === statement!.account_id)?.covered_to;
  };
  expect(await cover('ACCOUNT-1', day(-1))).toBe(day(-1));
  expect(await cover('ACCOUNT-2', day(0))).toBe(day(0));
  expect(await cover('ACCOUNT-3', day(30))).toBe(day(-1));
});

test('statements that overlap with different balances are reported, and do not cover the day', async () => {
  const id = await completed({ value_date: '2026-11-18' });
  const lines: Line[] = [
    { cents: 5_00n, reference: 'R-1', date: '2026-11-16' },
    { cents: 7_00n, reference: 'R-2', date: '2026-11-18' },
  ];
  const long = { from: '2026-11-16', to: '2026-11-18', openingCents: 100_00n };
  const { statements } = await uploadAndMatch(setup.company.test, statementFile(lines, long));
  const path = `/company/integration/statement-accounts/${statements[0]!.account_id}`;
  await setup.company.test.put(path, { complete_coverage: true, grace_days: 0 }).expect(200);
  expect(await positionOf(id)).toBe('completed_without_money');
  const next = { from: '2026-11-18', to: '2026-11-20' };
  const { file_id: wrong } = await uploadAndMatch(
    setup.company.test,
    statementFile(lines.slice(1), { ...next, openingCents: 900_00n }),
  );
  const continuity = async (fileId: string): Promise<string | undefined> => {
    const response: Response = await setup.company.test.get(`${statementsPath}/${fileId}`).expect(200);
    return (response.body as UploadedFile).statements[0]?.continuity;
  };
  expect([await positionOf(id), await continuity(wrong)]).toEqual(['unconfirmed', 'broken']);
  await setup.company.test.post(`${statementsPath}/${wrong}/void`, { reason: 'wrong' }).expect(200);
  expect(await positionOf(id)).toBe('completed_without_money');
  const { file_id: right } = await uploadAndMatch(
    setup.company.test,
    statementFile(lines.slice(1), { ...next, openingCents: 105_00n }),
  );
  expect([await positionOf(id), await continuity(right)]).toEqual(['completed_without_money', 'first']);
});

longTest('a file with 500 statements that overlap can be read', async () => {
  const days = Array.from({ length: 20 }, (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}`);
  const files = Array.from({ length: 500 }, (_, number) => {
    const lines = days.map((date) => ({ cents: 1n, reference: `R-${number}-${date}`, date }));
    const to = `2026-10-${20 + (number % 5)}`;
    return statementFile(lines, { from: '2026-10-01', to, openingCents: 1_00n });
  });
  const [first = ''] = files;
  const statementsOf = (file: string): string => /<Stmt>[^]*<\/Stmt>/.exec(file)![0];
  const content = first.replace(statementsOf(first), files.map(statementsOf).join(''));
  const uploaded: Response = await upload(setup.company.test, content).expect(202);
  const { file_id: fileId } = uploaded.body as UploadedFile;
  const { body }: Response = await setup.company.test.get(`${statementsPath}/${fileId}`).expect(200);
  const { statements } = body as UploadedFile;
  expect(statements).toHaveLength(500);
  expect(new Set(statements.map(({ continuity }) => continuity))).not.toContain('not_checked');
  await setup.company.test.get(statementsPath).expect(200);
});
