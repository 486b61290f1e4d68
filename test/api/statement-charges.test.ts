import { compareAll } from '../support/compare-all';
import { sendReturn } from '../support/returns';
import { type Line, statementFile, statementsPath, uploadAndWait } from '../support/statement-files';
import { type Entry, readEntries, readMoney, setUpStatements } from '../support/statement-setup';

/**
 * Charges that a bank books separately, with the id of the payment. Contributions are 25.50
 * dollars.
 */
const setup = setUpStatements();

const nextDay = { date: '2026-11-21' };
const positionOf = async (id: string): Promise<string> => {
  const { position, net_amount: net } = await readMoney(setup.company.test, id);
  return `${position} ${net}`;
};
const entriesToCheck = async (id: string): Promise<number> =>
  (await readMoney(setup.company.test, id)).entries_to_check;

/**
 * Uploads a payment and a debit of 1.00 with the same id. Returns the id and the entry of the
 * debit.
 */
async function withDebit(more: Partial<Line>): Promise<{ id: string; entry: Entry }> {
  const id = await setup.contributions.createCompleted('25.50');
  const debit: Line = { cents: 1_00n, id, reference: 'FEE-1', direction: 'debit', ...more };
  const { file_id: fileId } = await uploadAndWait(
    setup.company.test,
    statementFile([{ cents: 25_50n, id, reference: 'R-1' }, debit], { from: '2026-11-20' }),
  );
  const entries = await readEntries(setup.company.test, fileId);
  return { id, entry: entries.find(({ direction }) => direction === 'debit')! };
}

test('a debit that the bank marks as a charge is not a return, and stays unexplained', async () => {
  const { id, entry } = await withDebit({ subFamily: 'CHRG' });
  expect(await positionOf(id)).toBe('matched 25.50');
  expect(entry).toMatchObject({ outcome: 'unknown', reason: 'bank_charge' });
});

test('a partial debit without a mark is only proposed until a decision', async () => {
  const { id, entry } = await withDebit({});
  expect(await positionOf(id)).toBe('matched 25.50');
  expect(entry).toMatchObject({ outcome: 'proposed', reason: null });
  expect(await entriesToCheck(id)).toBe(1);
  const decide = (body: object) =>
    setup.company.test.post(`${statementsPath}/entries/${entry.entry_id}/decisions`, body).expect(200);
  await decide({
    ...{ action: 'link', reason: 'A refund' },
    allocations: [{ transaction_id: id, amount: '1.00' }],
  });
  await compareAll(setup.service);
  expect(await positionOf(id)).toBe('partially_returned 24.50');
  await decide({ action: 'ignore', reason: 'A charge' });
  await compareAll(setup.service);
  expect(await positionOf(id)).toBe('matched 25.50');
  expect(await entriesToCheck(id)).toBe(0);
});

test.each<[string, Partial<Line>]>([
  ['its code', { subFamily: 'RRTN' }],
  ['its reason', { returnCode: 'AC04' }],
])('a debit that the bank marks as a return with %s counts', async (_, more) => {
  const { id, entry } = await withDebit(more);
  expect(await positionOf(id)).toBe('partially_returned 24.50');
  expect(entry).toMatchObject({ outcome: 'returned' });
});

test('a debit of the whole amount counts as a return', async () => {
  const { id } = await withDebit({ cents: 25_50n });
  expect(await positionOf(id)).toBe('returned 0.00');
});

test('a partial debit that is recorded as a return counts, before and after the upload', async () => {
  const { id, entry } = await withDebit({});
  const record = (transactionId: string) =>
    sendReturn(setup.company.test, transactionId, { amount: '1.00', bank_reference: 'FEE-1' }).expect(201);
  await record(id);
  await compareAll(setup.service);
  const { entries, entries_to_check: toCheck } = await readMoney(setup.company.test, id);
  expect(entries.map(({ outcome }) => outcome).sort()).toEqual(['matched', 'returned']);
  expect(toCheck).toBe(0);
  expect(await positionOf(id)).toBe('partially_returned 24.50');
  expect(entry.outcome).toBe('proposed');
  const other = await setup.contributions.createCompleted('25.50');
  await record(other);
  const line: Line = { cents: 1_00n, id: other, reference: 'FEE-1', direction: 'debit' };
  const { file_id: fileId } = await uploadAndWait(
    setup.company.test,
    statementFile([{ cents: 25_50n, id: other, reference: 'R-2' }, line], { account: 'ANOTHER' }),
  );
  const outcomes = (await readEntries(setup.company.test, fileId)).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual(['matched', 'returned']);
  expect(await positionOf(other)).toBe('partially_returned 24.50');
});

test('a recorded return with another reference or amount leaves a debit proposed', async () => {
  const { id } = await withDebit({});
  await sendReturn(setup.company.test, id, { amount: '1.00', bank_reference: 'OTHER' }).expect(201);
  await sendReturn(setup.company.test, id, { amount: '2.00', bank_reference: 'FEE-1' }).expect(201);
  await compareAll(setup.service);
  expect(await entriesToCheck(id)).toBe(1);
});

test.each([
  [
    'that the bank marks as a reversal is proposed like the debit',
    { subFamily: 'RRTN' },
    'proposed',
    'matched 25.50',
  ],
  ['without a mark is a payment', {}, 'matched', 'over 26.50'],
])('a credit of a part %s', async (_, more, outcome, position) => {
  const { id } = await withDebit({});
  const credit: Line = { cents: 1_00n, id, reference: 'BACK-1', ...nextDay, ...more };
  const { file_id: fileId } = await uploadAndWait(
    setup.company.test,
    statementFile([credit], { from: nextDay.date }),
  );
  expect((await readEntries(setup.company.test, fileId))[0]).toMatchObject({ outcome });
  expect(await positionOf(id)).toBe(position);
});

test('the reversal of a partial return is an entry to check', async () => {
  const { id } = await withDebit({ subFamily: 'RRTN' });
  expect(await entriesToCheck(id)).toBe(0);
  const credit: Line = { cents: 1_00n, id, reference: 'BACK-1', ...nextDay, subFamily: 'RRTN' };
  await uploadAndWait(setup.company.test, statementFile([credit], { from: nextDay.date }));
  expect(await positionOf(id)).toBe('partially_returned 24.50');
  expect(await entriesToCheck(id)).toBe(1);
});
