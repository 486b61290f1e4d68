import fc from 'fast-check';
import type { Response } from 'supertest';

import {
  createEntryClassesStore,
  type EntryClassesStore,
} from '../../src/features/statements/entry-classes.store';
import { createReconcileClasses } from '../../src/features/statements/reconcile-classes';
import { createStatedContributionsStore } from '../../src/features/statements/stated-contributions.store';
import { createCompletions } from '../support/completions';
import { randomCases, takesAllRows } from '../support/full-run';
import { matchAll } from '../support/matching';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementsPath, upload } from '../support/statement-files';
import {
  contributionCount,
  expectedMoney,
  filesOf,
  mistakenFile,
  type Plan,
  plan,
  referenceOf,
} from '../support/statement-orders';
import { readEntries, readMoney } from '../support/statement-setup';
import { verificationOf } from '../support/verification';

/**
 * A bank's statements of two days give the same money in any order of uploads, links, decisions,
 * voids and results of paused processes.
 *
 * `ORDER_CASES=2000` changes the number of cases.
 */
const cases = Number(process.env['ORDER_CASES'] ?? (takesAllRows ? 2_000 : randomCases(30)));
const millisecondsToRun = 120_000 + cases * 3_000;

let service: TestService;

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 50 });
});
afterAll(() => service.stop());

/** The state of one case. */
interface World {
  bank: TestCompany;
  ids: string[];
  link: () => Promise<unknown>;
  uploaded: { fileId: string; isInterim: boolean }[];
  /** The numbers of the payments about whose entry the bank has decided. */
  decided: Set<number>;
  resumes: (() => Promise<void>)[];
}

async function createWorld(): Promise<World> {
  const [company, bank] = [await service.addCompany(), await service.addCompany()];
  const contributions = await createCompletions(service, company);
  const ids: string[] = [];
  while (ids.length < contributionCount) ids.push(await contributions.create());
  const link = () => contributions.link(bank);
  return { bank, ids, link, uploaded: [], decided: new Set(), resumes: [] };
}

async function send({ bank, uploaded }: World, content: string, isInterim = false): Promise<string> {
  const response: Response = await upload(bank.test, content);
  if (![200, 202].includes(response.status)) throw new Error(`upload: ${response.status} ${response.text}`);
  const { file_id: fileId } = response.body as { file_id: string };
  uploaded.push({ fileId, isInterim });
  return fileId;
}

/** Decides about entries of reports and notifications that are not matched yet. */
async function decideEntries({ bank, ids, uploaded, decided }: World, { payments }: Plan): Promise<void> {
  const unnamed = payments.findIndex(({ hasReference }) => !hasReference);
  for (const { fileId } of uploaded.filter(({ isInterim }) => isInterim)) {
    const entries = await readEntries(bank.test, fileId);
    for (const { entry_id: entryId, outcome, bank_reference: reference } of entries) {
      if (outcome !== 'unknown') continue;
      const named = payments.findIndex((_, at) => referenceOf(at) === reference);
      const number = reference === null ? unnamed : named;
      const payment = payments[number];
      if (!payment) continue;
      const response = await bank.test.post(`${statementsPath}/entries/${entryId}/decisions`, {
        action: 'link',
        allocations: [{ transaction_id: ids[payment.contribution], amount: '25.50' }],
        reason: 'The donor told us',
      });
      // The bank may not be linked yet.
      if (![200, 404, 409].includes(response.status)) throw new Error(response.text);
      if (response.status === 200 && reference !== null) decided.add(number);
    }
  }
}

/** Compares the lines of a file like another process, which pauses before it stores its result. */
async function pauseComparison({ uploaded, resumes }: World, choice: number): Promise<void> {
  const file = uploaded[choice % Math.max(1, uploaded.length)];
  if (!file) return;
  const { rows } = await service.database.admin.query<{ viewer: number; key: string }>(
    `SELECT DISTINCT s.environment_id AS viewer, encode(s.class_key, 'hex') AS key FROM entry_sources s
      WHERE s.file_id = $1`,
    [file.fileId],
  );
  if (!rows[0]) return;
  const { database } = service.container;
  const store = createEntryClassesStore(database);
  let isPaused = (): void => undefined;
  let resume = (): void => undefined;
  const paused = new Promise<void>((resolve) => (isPaused = resolve));
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  const slow: EntryClassesStore = {
    ...store,
    async put(...result) {
      isPaused();
      await resumed;
      return store.put(...result);
    },
  };
  const reconcile = createReconcileClasses(slow, createStatedContributionsStore(database));
  const running = reconcile(
    rows[0].viewer,
    rows.map(({ key }) => key),
  );
  await Promise.race([paused, running]);
  resumes.push(async () => {
    resume();
    await running;
  });
}

/** A mistaken upload, then its void. */
function mistake(world: World): () => Promise<void> {
  let fileId: string | undefined;
  return async () => {
    if (fileId === undefined) fileId = await send(world, mistakenFile(world.ids));
    else await world.bank.test.post(`${statementsPath}/${fileId}/void`, { reason: 'mistake' }).expect(200);
  };
}

const resumeOne = async ({ resumes }: World): Promise<void> => resumes.shift()?.();

/** All events, in the order of the plan. */
function eventsOf(world: World, given: Plan): (() => Promise<unknown>)[] {
  const files = filesOf(given, world.ids);
  const { others, order } = given;
  const wrong = mistake(world);
  const events: (() => Promise<unknown>)[] = [
    world.link,
    ...files.map(
      ({ content, isInterim }) =>
        () =>
          send(world, content, isInterim),
    ),
    ...(others.includes('same bytes')
      ? files.slice(0, 2).map(
          ({ content }) =>
            () =>
              send(world, content),
        )
      : []),
    ...(others.includes('voided') ? [wrong, wrong] : []),
    () => decideEntries(world, given),
    () => decideEntries(world, given),
    () => pauseComparison(world, order[0] ?? 0),
    () => pauseComparison(world, order[1] ?? 0),
    () => resumeOne(world),
    () => matchAll(service),
  ];
  return events
    .map((event, at) => ({ event, place: order[at % order.length] ?? 0 }))
    .sort((one, other) => one.place - other.place)
    .map(({ event }) => event);
}

const moneyOf = ({ bank, ids }: World): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const { position, gross_amount: gross } = await readMoney(bank.test, id);
      return `${position} ${gross}`;
    }),
  );

test(
  'uploads, links, decisions, voids and paused processes give the same money in any order',
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const world = await createWorld();
        for (const event of eventsOf(world, given)) await event();
        while (world.resumes.length > 0) await resumeOne(world);
        await matchAll(service);
        expect(await moneyOf(world)).toEqual(expectedMoney(given, world.decided));
      }),
      { numRuns: cases },
    );
    const { violationCount, failures } = await verificationOf(service.database.operatorUrl);
    expect({ violationCount, failures }).toEqual({ violationCount: 0, failures: [] });
  },
  millisecondsToRun,
);
