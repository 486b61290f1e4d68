import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { generateTransactionId } from '../../src/shared/transaction-id';
import { runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { bai2, camt, type Payment } from '../../packages/bank-files/test/generate';

/** `statements check` works without settings and without a database. */
const id = generateTransactionId('K7Q2', new Date());
const found: Payment = { cents: 1050n, direction: 'credit', text: `donation ${id}` };
const wrong: Payment = { ...found, text: id.slice(0, -1) + (id.endsWith('7') ? '8' : '7') };

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => {
  folder.remove();
});

const check = (content: string, ...options: string[]) => {
  const file = path.join(folder.path, 'statement');
  writeFileSync(file, content);
  return runOps(['statements', 'check', file, ...options], { DATABASE_URL: 'not an address' });
};

test.each([
  ['camt.053, version 08', camt([found])],
  ['bai2', bai2([found])],
])('a file in %s lists its entries and exits with 0', async (format, content) => {
  const { exitCode, output } = await check(content);
  expect(output).toMatch(new RegExp(`^format +${format}$`, 'm'));
  expect(output).toMatch(new RegExp(`found +credit +10\\.50 +${id}`));
  expect(output).toContain('balanced');
  expect(exitCode).toBe(0);
});

test('JSON has the statements, the counts and the entries', async () => {
  const { exitCode, output } = await check(camt([found, wrong]), '--json', '--outcome', 'found');
  expect(JSON.parse(output)).toMatchObject({
    format: 'camt.053',
    statements: [{ account_ending: '6789', balance: 'balanced', entries: 2 }],
    counts: { found: 1, wrong_check_character: 1 },
    problems: [],
    entries: [{ amount: '10.50', direction: 'credit', transaction_ids: [id], bank_reference: 'REF0' }],
  });
  expect(exitCode).toBe(3);
});

test('a wrong total is printed with its line, and the exit code is 3', async () => {
  const { exitCode, output } = await check(bai2([found]).replace(/^49,\d+/m, '49,1'));
  expect(output).toMatch(/^Line 5: In record 49, the control total should be 200002100\.$/m);
  expect(exitCode).toBe(3);
});

test('a file that cannot be read exits with 1 and gives the reason', async () => {
  const { exitCode, output } = await check('MT940');
  expect(output).toContain('The file is not camt.052, camt.053 or camt.054 (XML), BAI2 or NACHA.');
  expect(exitCode).toBe(1);
  const missing = await runOps(['statements', 'check', path.join(folder.path, 'missing')]);
  expect(missing.output).toContain('The file cannot be read');
  expect(missing.exitCode).toBe(1);
});

test('--tag restricts the search and finds ids within longer words', async () => {
  const glued = { ...found, text: `REF${id}` };
  expect((await check(camt([glued]))).output).toContain('no_reference');
  expect((await check(camt([glued]), '--tag', 'k7q2')).output).toContain(id);
  expect((await check(camt([found]), '--tag', 'ZZZZ')).output).toContain('no_reference');
  expect((await check(camt([found]), '--tag', 'K7')).exitCode).toBe(2);
});

describe('--mapping says how to read a CSV file', () => {
  const csv = `Day;Sum;Text\n21.11.2026;10,50;gift ${id}\n21.11.2026;-3,10;fee\n21.11.2026;soon;${id}\n`;
  const mapping = {
    ...{ date: 'Day', date_format: 'DD.MM.YYYY', amount: 'Sum', texts: ['Text'] },
    ...{ decimal: ',', delimiter: ';' },
  };
  const checkCsv = (more: object = {}, ...options: string[]) =>
    check(csv, '--mapping', JSON.stringify({ ...mapping, ...more }), ...options);

  test('its entries are listed, and an unreadable amount exits with 3', async () => {
    const { exitCode, output } = await checkCsv({}, '--json');
    expect(JSON.parse(output)).toMatchObject({
      format: 'csv',
      counts: { found: 1, no_reference: 1, unreadable: 1 },
      entries: [
        { line: 2, amount: '10.50', direction: 'credit', booking_date: '2026-11-21', transaction_ids: [id] },
        { line: 3, amount: '3.10', direction: 'debit' },
        { line: 4, amount: null, detail: 'the amount cannot be read' },
      ],
    });
    expect(exitCode).toBe(3);
  });

  test('a column that the file does not have exits with 1', async () => {
    const { exitCode, output } = await checkCsv({ amount: 'Total' });
    expect([exitCode, output]).toEqual([1, expect.stringContaining('lacks the column "Total"')]);
  });

  test('an invalid mapping exits with 2, and a missing one exits with 1', async () => {
    const wrongMember = await checkCsv({ decimals: 2 });
    expect([wrongMember.exitCode, wrongMember.output]).toEqual([2, expect.stringContaining('decimals')]);
    const noJson = await check(csv, '--mapping', 'date=Day');
    expect([noJson.exitCode, noJson.output]).toEqual([2, expect.stringContaining('Send a JSON object.')]);
    const none = await check(csv);
    expect([none.exitCode, none.output]).toEqual([1, expect.stringContaining('A CSV file needs a mapping.')]);
  });
});
