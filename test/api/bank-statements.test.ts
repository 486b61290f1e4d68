import type { Feature } from '../../src/feature';
import { features } from '../../src/features';
import {
  type BankStatements,
  composeBankStatements,
} from '../../src/features/bank-statements/services-and-work.feature';
import type { Principal } from '../../src/shared/scopes';
import { environmentOf } from '../support/environment';
import { relayAll } from '../support/feed';
import { type Line, statementFile } from '../support/statement-files';
import { setUpStatements } from '../support/statement-setup';
import { until } from '../support/until';

/** A month of an accountant, with all parts at work: files, days, persons, closing. */
let composed: BankStatements;
const composing: Feature = {
  name: 'bank-statements',
  create: (process) => ({
    serve(core) {
      composed = composeBankStatements(process, core);
      return { stop: composed.stop };
    },
  }),
};
const setup = setUpStatements({ pollMs: 50, features: [composing, ...features] });

const month = '2026-10';
const amount = 25_50n;
const rows = async <Row extends object>(text: string): Promise<Row[]> =>
  (await setup.service.database.admin.query<Row>(text, [await environmentId()])).rows;
const environmentId = () => environmentOf(setup.service.database.admin, setup.company.name);

async function principal(): Promise<Principal> {
  const id = await environmentId();
  const [pair] = await rows<{ key: string }>(
    'SELECT api_key AS key FROM key_pairs WHERE environment_id = $1',
  );
  return { environmentId: id, apiKey: pair!.key, scopes: ['contributions:complete'] } as unknown as Principal;
}

/** Uploads a file, and waits until it was read and its days are compared. */
async function upload(content: string): Promise<string> {
  const { upload: stored } = await composed.uploads.receive(
    await environmentId(),
    [Buffer.from(content)],
    {},
  );
  await compared();
  return stored.uploadId;
}

const compared = () =>
  until('all files are read and all days compared', async () => {
    await relayAll(setup.service.database.admin);
    const [left] = await rows<{ count: number }>(
      `SELECT (SELECT count(*)::integer FROM statement_uploads u WHERE u.environment_id = $1 AND u.ended_at IS NULL)
              + (SELECT count(*)::integer FROM account_days d WHERE d.environment_id = $1 AND d.has_work)
              + (SELECT count(*)::integer FROM comparing_progress p JOIN feeds f USING (environment_id)
                  WHERE p.environment_id = $1 AND (p.sequence < f.last_sequence OR p.claimed_until > now())) AS count`,
    );
    return left!.count === 0;
  });

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
const questions = (): Promise<
  { account: string; day: string; question: { kind: string; versions: string[] } }[]
> =>
  rows(
    `SELECT account_id AS account, day::text, question FROM account_days
      WHERE environment_id = $1 AND question IS NOT NULL ORDER BY day`,
  );
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
  const who = await principal();
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
  // The second file is missing, and there are two versions of the third, of which none is newer.
  await upload(week(43, '2026-10-21', '2026-10-31', closings[1]!, third));
  const other = third.map((line, at) => (at === 0 ? { ...line, cents: amount + 1_00n } : line));
  const contradicting = await upload(week(43, '2026-10-21', '2026-10-31', closings[1]!, other));
  const reasonsOf = async () => (await composed.months.canClose(who.environmentId, month)).reasons;
  expect(new Set((await reasonsOf()).map(({ kind }) => kind))).toEqual(
    new Set(['two_versions', 'days_missing', 'start_unknown', 'lines_to_decide']),
  );

  await upload(week(42, '2026-10-11', '2026-10-20', closings[0]!, second));
  const [asked] = await questions();
  expect(asked!.question.kind).toBe('two_versions');
  const { environmentId: owner } = who;
  const voided = await composed.uploads.void(
    { environmentId: owner, uploadId: contradicting },
    'Not from the bank',
  );
  expect(voided).toMatchObject({ state: 'voided' });
  await compared();
  expect(await questions()).toEqual([]);

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
  expect((await reasonsOf()).map(({ kind }) => kind)).toEqual(['lines_to_decide']);
  const link = {
    action: 'link' as const,
    allocations: [{ transaction_id: ids[1]!, amount }],
    reason: 'Typed wrongly',
  };
  expect(await composed.decisions.decide(who, found[1]!.entry, link)).toMatchObject({ outcome: 'decided' });
  const ignore = { action: 'ignore' as const, allocations: [], reason: 'Fee of the bank' };
  expect(await composed.decisions.decide(who, found[2]!.entry, ignore)).toMatchObject({ outcome: 'decided' });
  await compared();
  expect(await reasonsOf()).toEqual([]);
  expect(await balance()).toEqual([
    { term: 'ignored', cents: '-900' },
    { term: 'matched', cents: '10200' },
    { term: 'returned', cents: '-2550' },
    { term: 'unexplained', cents: '7700' },
  ]);
  expect(opening + 102_00n - 25_50n - 9_00n + 77_00n).toBe(closings[2]);

  expect(await composed.months.close(who, month, { reason: 'October' })).toEqual({ outcome: 'closed' });
  expect(await composed.decisions.decide(who, found[3]!.entry, ignore)).toMatchObject({
    outcome: 'month_closed',
  });
  // A new version of the closed month changes nothing, and asks.
  await upload(week(41, '2026-10-01', '2026-10-10', opening, first.slice(0, 3), '2026-12-01T01:00:00'));
  const [after] = await questions();
  expect(after).toMatchObject({ question: { kind: 'changed_after_close' } });
  expect(await lines()).toHaveLength(7);
});
