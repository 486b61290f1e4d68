import { compareAll } from '../support/compare-all';
import { environmentOf } from '../support/environment';
import { type Line, statementFile, statementsPath, uploadAndWait } from '../support/statement-files';
import { setUpStatements } from '../support/statement-setup';

/** A month of an accountant, with all parts at work: files, days, persons, closing. */
const setup = setUpStatements({ pollMs: 50 });

const month = '2026-10';
const amount = 25_50n;
const reconciliation = '/company/integration/reconciliation';
const rows = async <Row extends object>(text: string): Promise<Row[]> => {
  const { admin } = setup.service.database;
  return (await admin.query<Row>(text, [await environmentOf(admin, setup.company.name)])).rows;
};

/** Uploads a file, and waits until it was read and its days are compared. */
async function upload(content: string): Promise<string> {
  const { file_id: fileId } = await uploadAndWait(setup.company.test, content);
  await compareAll(setup.service);
  return fileId;
}

async function dataOf<Item>(path: string): Promise<Item[]> {
  const { body } = await setup.company.test.get(path).expect(200);
  return (body as { data: Item[] }).data;
}

interface Found {
  entry: string;
  account: string;
  day: string;
  cents: string;
  outcome: string;
  reason: string | null;
}
const lines = (): Promise<Found[]> =>
  rows(
    `SELECT entry_id AS entry, account_id AS account, day::text, amount_cents AS cents, outcome, reason
       FROM line_outcomes WHERE environment_id = $1 AND entry_id IS NOT NULL AND state <> 'replaced'
      ORDER BY day, amount_cents, direction`,
  );
const questionKinds = async (): Promise<string[]> =>
  (await dataOf<{ kind: string }>(`${reconciliation}/questions`)).map(({ kind }) => kind);
const reasonKinds = async (): Promise<string[]> =>
  (await dataOf<{ kind: string }>(`${reconciliation}/can-close?month=${month}`)).map(({ kind }) => kind);
const decide = (entryId: string, decision: object) =>
  setup.company.test.post(`${statementsPath}/entries/${entryId}/decisions`, decision);
const balance = (): Promise<{ term: string; cents: string }[]> =>
  rows(
    `SELECT term, sum(cents)::text AS cents
       FROM (SELECT term, term_cents AS cents FROM line_outcomes WHERE environment_id = $1 AND term IS NOT NULL
              UNION ALL
             SELECT 'charges', fee_cents FROM line_outcomes WHERE environment_id = $1 AND fee_cents <> 0) t
      GROUP BY term ORDER BY term`,
  );

const week = (
  sequence: number,
  from: string,
  to: string,
  openingCents: bigint,
  of: readonly Line[],
  madeAt?: string,
) => statementFile(of, { sequence, from, to, openingCents, ...(madeAt === undefined ? {} : { madeAt }) });
const changeOf = (of: readonly Line[]): bigint =>
  of.reduce((sum, { cents, direction }) => sum + (direction === 'debit' ? -cents : cents), 0n);

test('a month with planted problems is closed, and each of them is found', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push(await setup.contributions.create());
  const damaged = `${ids[1]!.slice(0, -1)}${ids[1]!.endsWith('0') ? '1' : '0'}`;
  const first: Line[] = [
    { cents: amount, id: ids[0]!, reference: 'R-1', date: '2026-10-01' },
    { cents: amount, id: damaged, reference: 'R-2', date: '2026-10-05' },
    { cents: 9_00n, text: 'monthly fee', reference: 'R-3', date: '2026-10-06', direction: 'debit' },
    { cents: 77_00n, text: 'a stranger', reference: 'R-4', date: '2026-10-06' },
  ];
  const second: Line[] = [{ cents: amount, id: ids[2]!, reference: 'R-5', date: '2026-10-15' }];
  const third: Line[] = [
    { cents: amount, id: ids[3]!, reference: 'R-6', date: '2026-10-28' },
    {
      cents: amount,
      id: ids[0]!,
      reference: 'R-7',
      date: '2026-10-29',
      direction: 'debit',
      returnCode: 'AC04',
    },
  ];
  const opening = 100_00n;
  const closings = [first, second, third].map(
    (_, at, all) => opening + changeOf(all.slice(0, at + 1).flat()),
  );
  await upload(week(41, '2026-10-01', '2026-10-10', opening, first));
  // The second file is missing. The third has two versions, and neither is newer.
  await upload(week(43, '2026-10-21', '2026-10-31', closings[1]!, third));
  const other = third.map((line, at) => (at === 0 ? { ...line, cents: amount + 1_00n } : line));
  const contradicting = await upload(week(43, '2026-10-21', '2026-10-31', closings[1]!, other));
  expect(new Set(await reasonKinds())).toEqual(
    new Set(['two_versions', 'days_missing', 'start_unknown', 'lines_to_decide']),
  );

  await upload(week(42, '2026-10-11', '2026-10-20', closings[0]!, second));
  expect(await questionKinds()).toEqual(['two_versions']);
  await setup.company.test
    .post(`${statementsPath}/${contradicting}/void`, { reason: 'Not from the bank' })
    .expect(200);
  await compareAll(setup.service);
  expect(await questionKinds()).toEqual([]);

  // The person links the damaged id, and ignores the fee.
  const found = await lines();
  expect(
    found.map(({ day, cents, outcome, reason }) => `${day} ${cents} ${outcome} ${reason ?? ''}`.trim()),
  ).toEqual([
    '2026-10-01 2550 matched',
    '2026-10-05 2550 proposed',
    '2026-10-06 900 unknown no_reference',
    '2026-10-06 7700 unknown no_reference',
    '2026-10-15 2550 matched',
    '2026-10-28 2550 matched',
    '2026-10-29 2550 returned',
  ]);
  expect(await reasonKinds()).toEqual(['lines_to_decide']);
  const allocations = [{ transaction_id: ids[1]!, amount: '25.50' }];
  await decide(found[1]!.entry, { action: 'link', allocations, reason: 'Typed wrongly' }).expect(200);
  const ignore = { action: 'ignore', reason: 'Fee of the bank' };
  await decide(found[2]!.entry, ignore).expect(200);
  await compareAll(setup.service);
  expect(await reasonKinds()).toEqual([]);
  expect(await balance()).toEqual([
    { term: 'ignored', cents: '-900' },
    { term: 'matched', cents: '10200' },
    { term: 'returned', cents: '-2550' },
    { term: 'unexplained', cents: '7700' },
  ]);
  expect(opening + 102_00n - 25_50n - 9_00n + 77_00n).toBe(closings[2]);

  await setup.company.test.post(`${reconciliation}/months/${month}/close`, { reason: 'October' }).expect(200);
  const refused = await decide(found[3]!.entry, ignore).expect(409);
  expect(refused.body).toMatchObject({ code: 'month_closed' });
  // A new version of the closed month changes nothing, and asks.
  await upload(week(41, '2026-10-01', '2026-10-10', opening, first.slice(0, 3), '2026-12-01T01:00:00'));
  expect(await questionKinds()).toEqual(['changed_after_close']);
  expect(await lines()).toHaveLength(7);
});
