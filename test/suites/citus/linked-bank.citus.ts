import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { Database } from '../../../src/db/pool/database';
import { createSettlementsStore } from '../../../src/features/sandbox/settlements.store';
import { createAccountDaysStore } from '../../../src/features/bank-statements/days/account-days.store';
import { createLaterChangesStore } from '../../../src/features/bank-statements/days/later-changes.store';
import { createOpenPositionsStore } from '../../../src/features/bank-statements/reporting/positions/open-positions.store';
import { createStatementUploadsStore } from '../../../src/features/bank-statements/uploads/statement-uploads.store';
import { createCourierStore } from '../../../src/features/webhooks/courier/courier.store';
import { createReplayLaneStore } from '../../../src/features/webhooks/replays/replay-lane.store';
import type { CitusNode } from '../../support/citus/cluster';
import { type OwnCluster, startOwnCluster } from '../../support/citus/own-cluster';
import type { Client } from '../../support/client';
import { type FileResponse, ndjson, sendFile } from '../../support/completion-files';
import { type Completions, createCompletions } from '../../support/completions';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { daysCompared, readingEnded, type UploadedFile } from '../../support/statement-files';
import { until } from '../../support/until';

/**
 * The responses to a bank while the worker of one of its companies is stopped or frozen. The bank
 * and its other company are on another worker.
 */
let own: OwnCluster;
let service: TestService;
let worker: CitusNode;
let bank: TestCompany;
/** The contributions of the company on the worker that fails, and of one elsewhere. */
let affected: Completions;
let other: Completions;
let otherId: string;
/** A company elsewhere that has no bank. */
let unlinked: TestCompany;

async function addElsewhere(port: number): Promise<TestCompany> {
  for (;;) {
    const company = await service.addCompany();
    if ((await own.portOf(company)) !== port) return company;
  }
}

beforeAll(async () => {
  own = await startOwnCluster();
  service = await startService({
    database: own.database,
    settings: {
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      DATABASE_LOCK_TIMEOUT_MS: '500',
      DATABASE_ANSWER_TIMEOUT_MS: '2000',
      DATABASE_ACQUIRE_TIMEOUT_MS: '5000',
      SANDBOX_REQUEST_LOG: 'off',
    },
  });
  const company = await service.addCompany();
  const port = await own.portOf(company);
  worker = own.cluster.workers.find((node) => node.port === port)!;
  bank = await addElsewhere(port);
  affected = await createCompletions(service, company);
  const otherCompany = await addElsewhere(port);
  other = await createCompletions(service, otherCompany);
  unlinked = await addElsewhere(port);
  for (const contributions of [affected, other]) await contributions.link(bank);
  const { body } = await other.read(bank.test, await other.create()).expect(200);
  otherId = (body as { company_id: string }).company_id;
});
afterAll(async () => {
  await service.stop();
  await own.remove();
});

const fileOf = (ids: readonly string[]): string =>
  ndjson(ids.map((id) => ({ transaction_id: id, amount: '25.50' })));
const send = (client: Client, ids: readonly string[]): Promise<FileResponse> =>
  sendFile(`http://127.0.0.1:${service.port}`, client, fileOf(ids));
const outcomesOf = ({ outcomes }: FileResponse): unknown[][] =>
  outcomes.map(({ outcome, code }) => [outcome, code]);

const createMany = async (contributions: Completions, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) ids.push(await contributions.create());
  return ids;
};
async function createAgain(): Promise<string> {
  let id = '';
  await until('its company creates again', async () => {
    id = await affected.create().catch(() => '');
    return id !== '';
  });
  return id;
}
const isServedAgain = (id: string): Promise<unknown> =>
  until('its tenants are served again', async () => (await affected.read(bank.test, id)).status === 200);

const days = 'from=2026-11-01&to=2026-12-01';
const summaries = ['day', 'project', 'company', 'status'].map(
  (by) => `contributions/summary?by=${by}&${days}`,
);
/** The paths that read a company's own environment. */
const ownReads = [
  'contributions',
  'events',
  'links',
  'webhook-endpoints',
  'statements',
  'statement-accounts',
];
/** The paths that read the data of every linked company. */
const readsOfAll = ['contributions', ...summaries, 'reconciliation', 'reconciliation/summary'];

describe('while a worker is stopped', () => {
  let paid: string;
  beforeAll(async () => {
    paid = await other.create();
    await other.complete(bank.test, paid).expect(200);
    await worker.stop('immediate');
  });
  afterAll(async () => {
    await worker.start();
    await isServedAgain(await createAgain());
  });
  const statusOf = async (client: Client, path: string): Promise<number> =>
    (await client.get(`/company/integration/${path}`)).status;

  test.each([...ownReads, ...readsOfAll])('a company elsewhere without a bank reads %s', async (path) => {
    expect(await statusOf(unlinked.test, path)).toBe(200);
  });

  test('a bank elsewhere reads its own environment', async () => {
    for (const path of ownReads.filter((read) => read !== 'contributions'))
      expect([path, await statusOf(bank.test, path)]).toEqual([path, 200]);
  });

  test('a bank elsewhere reads what concerns one other company', async () => {
    const reads = [
      `contributions?company_id=${otherId}`,
      `contributions/${paid}`,
      `contributions/${paid}/money`,
    ];
    for (const path of reads) expect([path, await statusOf(bank.test, path)]).toEqual([path, 200]);
  });

  test.each(readsOfAll)('a bank gets a retryable 503 for %s, which needs all its companies', async (path) => {
    const { status, body } = await bank.test.get(`/company/integration/${path}`);
    expect([status, body.code, body.retryable]).toEqual([503, 'database_unavailable', true]);
  });
});

describe('while a worker is stopped, background work', () => {
  beforeAll(() => worker.stop('immediate'));
  afterAll(async () => {
    await worker.start();
    await isServedAgain(await createAgain());
  });

  const findings: [what: string, find: (database: Database) => Promise<unknown>][] = [
    ['endpoints with events to deliver', (database) => createCourierStore(database).findWork(500, [])],
    ['replays', (database) => createReplayLaneStore(database).findWork(500, [])],
    ['uploads to read', (database) => createStatementUploadsStore(database).nextDue([1], [], [])],
    ['days to compare', (database) => createAccountDaysStore(database).withWork(2)],
    ['days of earlier rules', (database) => createAccountDaysStore(database).queueOutdated(2)],
    ['environments with later changes', (database) => createLaterChangesStore(database).changed(2)],
    ['open positions to count', (database) => createOpenPositionsStore(database).claim()],
    ['simulated banks', (database) => createSettlementsStore(database).environments()],
  ];
  test.each(findings)('finds %s elsewhere', async (_what, find) => {
    await expect(find(service.container.database)).resolves.not.toThrow();
  });

  test('reads a statement that a company elsewhere uploads', async () => {
    const file = `Date,Amount,Description\n2026-11-25,5.00,payment ${randomUUID()}\n`;
    const mapping = JSON.stringify({ date: 'Date', amount: 'Amount', texts: ['Description'] });
    const path = `statements?account=collecting&mapping=${encodeURIComponent(mapping)}`;
    const uploaded = await unlinked.test
      .raw('post', `/company/integration/${path}`)
      .set('Content-Type', 'text/csv')
      .send(file);
    expect([uploaded.status, uploaded.body]).toEqual([202, expect.anything()]);
    const { file_id: fileId } = uploaded.body as UploadedFile;
    expect(await readingEnded(unlinked.test, fileId)).toMatchObject({ state: 'read', entries: 1 });
    await daysCompared(unlinked.test);
  });
});

describe('a completion file', () => {
  const completed = ['completed', null];
  const replayed = ['replayed', null];
  const unavailable = ['refused', 'database_unavailable'];
  const unknown = ['unknown', 'database_unavailable'];

  test('completes all lines of other companies while a worker is stopped, and none twice', async () => {
    const dead = await createMany(affected, 2);
    const live = await createMany(other, 3);
    const file = [dead[0]!, live[0]!, live[1]!, dead[1]!, live[2]!];
    await worker.stop('immediate');
    try {
      const first = await send(bank.test, file);
      expect([first.status, first.code]).toEqual([200, undefined]);
      const ofDead = outcomesOf(first).filter((_outcome, line) => [0, 3].includes(line));
      for (const outcome of ofDead) expect([unavailable, unknown]).toContainEqual(outcome);
      const [atStart, later] = ofDead;
      expect(outcomesOf(first)).toEqual([atStart, completed, completed, later, completed]);
      const uncertain = ofDead.filter(([outcome]) => outcome === 'unknown').length;
      const counts = { lines: 5, completed: 3, replayed: 0, refused: 2 - uncertain, unknown: uncertain };
      expect(first.summary).toMatchObject(counts);
      // The coordinator cannot always tell that the worker did not get the lines.
      await until('the lines of the stopped worker are refused', async () =>
        isDeepStrictEqual(outcomesOf(await send(bank.test, file)), [
          unavailable,
          replayed,
          replayed,
          unavailable,
          replayed,
        ]),
      );
    } finally {
      await worker.start();
    }
    await isServedAgain(dead[0]!);
    expect(outcomesOf(await send(bank.test, file))).toEqual([
      completed,
      replayed,
      replayed,
      completed,
      replayed,
    ]);
  });

  test('reports lines as unknown that a frozen worker may have completed, and completes the others', async () => {
    const frozen = await createMany(affected, 2);
    const live = await createMany(other, 2);
    const file = [frozen[0]!, live[0]!, frozen[1]!, live[1]!];
    const thaw = worker.freeze();
    try {
      const response = await send(bank.test, file);
      expect([response.status, response.code]).toEqual([200, undefined]);
      expect(outcomesOf(response)).toEqual([unknown, completed, unknown, completed]);
      expect(response.summary).toMatchObject({ lines: 4, completed: 2, replayed: 0, refused: 0, unknown: 2 });
    } finally {
      thaw();
    }
    await isServedAgain(frozen[0]!);
    const { outcomes } = await send(bank.test, file);
    for (const { outcome } of outcomes) expect(['completed', 'replayed']).toContain(outcome);
  });
});
