import type { Scope } from '../../src/shared/scopes';
import {
  type BuiltService,
  createMany,
  credentialHeaders,
  prepareBuiltService,
} from '../support/built-service';
import type { Credentials } from '../support/client';
import { sample } from '../support/full-run';
import { RunningService } from '../support/program';
import { statementsPath } from '../support/statement-files';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';

/**
 * Kills the built program at random moments of an import and of the matching, and sends the file
 * again. A linked bank uploads the same file without any kill, and must find the same.
 */
const contributions = 5_000;
/** Random moments of the import, and of the matching, as shares of the entries. */
const kills = { importing: 2, matching: 2 };

let built: BuiltService<'Acme' | 'Bank'>;

beforeAll(async () => {
  const scopes: Scope[] = [
    'contributions:create',
    'contributions:read',
    'statements:read',
    'statements:write',
  ];
  built = await prepareBuiltService(
    { Acme: scopes, Bank: scopes },
    { settings: { LOG_LEVEL: 'info' }, link: ['Acme', 'Bank'] },
  );
});
afterAll(() => built.remove());

/** Payments in full, short, over and twice, equal lines without a reference, and unknown ones. */
function bai2Of(ids: readonly string[]): { file: string; entries: number } {
  const entries = ids.flatMap((id, at): string[] => {
    const pay = (cents: number, reference: string): string => `16,142,${cents},Z,${reference},${id},/`;
    if (at % 10 === 1) return [pay(2_000, `S-${id}`)];
    if (at % 10 === 2) return [pay(3_000, `V-${id}`)];
    if (at % 10 === 3) return [pay(2_550, `A-${id}`), pay(2_550, `B-${id}`)];
    if (at % 10 === 4) return [pay(2_550, ''), pay(2_550, '')];
    if (at % 10 === 5) return [`16,142,2550,Z,U-${id},,rent of November/`];
    return [pay(2_550, `R-${id}`)];
  });
  const cents = entries.reduce((sum, entry) => sum + Number(entry.split(',')[2]), 0);
  const lines = [
    '01,BANK,CUSTOMER,261120,0600,1,,,2/',
    '02,CUSTOMER,BANK,1,261120,,USD,2/',
    `03,990000003000,USD,010,0,,,015,${cents},,/`,
    ...entries,
    `49,${cents * 2},${entries.length + 2}/`,
    `98,${cents * 2},1,${entries.length + 4}/`,
    `99,${cents * 2},1,${entries.length + 6}/`,
    '',
  ];
  return { file: lines.join('\n'), entries: entries.length };
}

const send = ({ baseUrl }: RunningService, pair: Credentials, file: string): Promise<number | undefined> =>
  fetch(baseUrl + statementsPath, {
    method: 'POST',
    headers: { ...credentialHeaders(pair), 'Content-Type': 'text/plain' },
    body: file,
  }).then(
    ({ status }) => status,
    // The response was cut off.
    () => undefined,
  );

interface Progress {
  state: string | undefined;
  stored: number;
  matched: number;
}

/** The progress of the newest file. */
async function progress(): Promise<Progress> {
  const { rows } = await built.database.admin.query<{ state: string; stored: number; matched: number }>(
    `SELECT f.state, f.matched_count AS matched,
            (SELECT count(*)::integer FROM entry_sources s WHERE s.environment_id = f.environment_id AND s.file_id = f.file_id) AS stored
       FROM statement_files f ORDER BY f.received_at DESC LIMIT 1`,
  );
  return rows[0] ?? { state: undefined, stored: 0, matched: 0 };
}

/** Sends the file, and kills the service once the condition holds. */
async function killWhen(file: string, isDue: (at: Progress) => boolean): Promise<Progress> {
  const service = await RunningService.start(built.settings);
  const sent = send(service, built.pairs.Acme, file);
  await until('the moment of the kill', async () => isDue(await progress()));
  await service.signal('SIGKILL');
  await sent;
  // Simulates that the lease of the killed process has expired.
  await built.database.admin.query(
    'UPDATE statement_files SET claimed_until = NULL WHERE claimed_until IS NOT NULL',
  );
  return progress();
}

/** The data of a viewer's statements, without the ids of the viewer's own account. */
async function foundBy({ apiKey }: Credentials): Promise<Record<string, unknown>> {
  const of = (table: string, columns: string): Promise<unknown[]> =>
    built.database.admin
      .query<{ row: string }>(
        `SELECT concat_ws(' ', ${columns}) AS row FROM ${table} t
          WHERE t.environment_id = (SELECT k.environment_id FROM key_pairs k WHERE k.api_key = $1) ORDER BY 1`,
        [apiKey],
      )
      .then(({ rows }) => rows.map(({ row }) => row));
  return {
    entries: await of(
      'statement_entries',
      'standing, outcome, reason, amount_cents, bank_reference, occurrence',
    ),
    allocations: await of('allocations', 'transaction_id, kind, amount_cents, confidence, state'),
    money: await of(
      'statement_money',
      'transaction_id, gross_cents, returned_cents, other_gross_cents, is_decided',
    ),
  };
}

let finished = 0;
const random = (from: number, to: number): number => from + Math.floor(Math.random() * (to - from));

test.each(sample([1, 2, 3, 4], 4))(
  'killed at random moments, an import and its matching find the same as without a kill (run %d)',
  async (run) => {
    const first = await RunningService.start(built.settings);
    const { file, entries } = bai2Of(
      await createMany(built, first, built.pairs.Acme, `killed-${run}`, contributions),
    );
    await first.signal('SIGTERM');
    const moments: string[] = [];
    for (let kill = 0; kill < kills.importing; kill += 1) {
      const least = random(1, entries - 1_500);
      const at = await killWhen(file, ({ stored }) => stored >= least);
      moments.push(`import ${at.stored} (${at.state})`);
    }
    for (let kill = 0; kill < kills.matching; kill += 1) {
      const least = random(1, entries - 1_500);
      const at = await killWhen(file, ({ matched }) => matched >= least);
      moments.push(`matching ${at.matched} (${at.state})`);
    }
    const service = await RunningService.start(built.settings);
    expect({ moments, status: await send(service, built.pairs.Acme, file) }).toMatchObject({ status: 200 });
    await until('the file is matched', async () => (await progress()).state === 'matched');
    expect(await send(service, built.pairs.Bank, file)).toBe(202);
    await until('the file of the bank is matched', async () => (await progress()).state === 'matched');
    const [ofCompany, ofBank] = [await foundBy(built.pairs.Acme), await foundBy(built.pairs.Bank)];
    expect(ofCompany['entries']).toHaveLength(entries * (1 + finished));
    expect({ moments, ...ofCompany }).toEqual({ moments, ...ofBank });
    expect((await verificationOf(built.database.ownerUrl)).violationCount).toBe(0);
    finished += 1;
    await service.signal('SIGTERM');
  },
  240_000,
);
