import { compareAll } from '../support/compare-all';
import { type Line, statementFile, type StatementForm, uploadAndWait } from '../support/statement-files';
import { readEntries, readMoney, setUpStatements } from '../support/statement-setup';

/**
 * Reports and notifications about a day whose statement has not arrived yet. Contributions are
 * 25.50 dollars.
 */
const setup = setUpStatements();

const amount = 25_50n;
const [yesterday, today] = ['2026-11-19', '2026-11-20'];
const put = async (lines: readonly Line[], form: StatementForm): Promise<string> => {
  const { file_id: fileId } = await uploadAndWait(setup.company.test, statementFile(lines, form));
  return fileId;
};
const putYesterday = (lines: readonly Line[] = []): Promise<string> =>
  put(lines, { from: yesterday, madeAt: '2026-11-20T02:00:00-05:00' });
const notice = (id: string): Line[] => [{ cents: amount, id, reference: 'NT-0001', date: today }];
const moneyOf = async (id: string): Promise<string> => {
  await compareAll(setup.service);
  const { position, gross_amount: gross } = await readMoney(setup.company.test, id);
  return `${position} ${gross}`;
};
describe.each(['052', '054'] as const)('an entry of today in a camt.%s', (kind) => {
  const of: StatementForm = { kind, from: today, madeAt: '2026-11-20T15:00:00-05:00' };

  test.each([true, false])(
    'is confirmed beside the statement of yesterday (it was uploaded first: %s)',
    async (isFirst) => {
      const id = await setup.contributions.createCompleted('25.50');
      const puts = [() => putYesterday(), () => put(notice(id), of)];
      for (const next of isFirst ? puts : puts.reverse()) await next();
      expect(await moneyOf(id)).toBe('matched 25.50');
    },
  );

  test('counts once when the statement of today states it with another reference', async () => {
    const id = await setup.contributions.createCompleted('25.50');
    await putYesterday();
    const early = await put(notice(id), of);
    const late = { cents: amount, id, reference: 'AX-0001', date: today };
    await put([late], { from: today, madeAt: '2026-11-21T02:00:00-05:00' });
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect((await readEntries(setup.company.test, early)).map(({ state }) => state)).toEqual(['replaced']);
  });

  // Only its statement shows whether the notification states its day in UTC.
  test('that yesterday states with another reference counts until the statement of today', async () => {
    const id = await setup.contributions.createCompleted('25.50');
    await putYesterday([{ cents: amount, id, reference: 'AX-0001', date: yesterday }]);
    await put(notice(id), of);
    expect(await moneyOf(id)).toBe('duplicate 51.00');
    await put([], { from: today, openingCents: 1_000_025_50n });
    expect(await moneyOf(id)).toBe('matched 25.50');
  });
});

test.each(['054', '052'] as const)(
  'two entries in a camt.054 and a camt.%s with one reference and other ids are not the same payment',
  async (kind) => {
    const { contributions, company } = setup;
    const ids = [await contributions.createCompleted(), await contributions.createCompleted()];
    await put(notice(ids[0]!), { kind: '054', madeAt: '2026-11-20T12:00:00' });
    await put(notice(ids[1]!), { kind, madeAt: '2026-11-20T18:00:00' });
    await compareAll(setup.service);
    const found = await Promise.all(ids.map((id) => readMoney(company.test, id)));
    // One counts, and a person decides about the other.
    expect(
      found.map(({ gross_amount: gross, entries_to_check: toCheck }) => [gross, toCheck]).sort(),
    ).toEqual([
      ['0.00', 1],
      ['25.50', 0],
    ]);
    // Its id tells a repeat from another payment.
    await put(notice(ids[0]!), { kind: '052', madeAt: '2026-11-20T19:00:00' });
    await compareAll(setup.service);
    const after = await Promise.all(ids.map((id) => readMoney(company.test, id)));
    expect(
      after.map(({ gross_amount: gross, entries_to_check: toCheck }) => [gross, toCheck]).sort(),
    ).toEqual([
      ['0.00', 1],
      ['25.50', 0],
    ]);
  },
);
