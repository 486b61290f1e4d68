import fc from 'fast-check';

import { addProject } from '../support/catalogue';
import { createClient, type Client } from '../support/client';
import { isFullRun } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verifyDatabase } from '../suites/faults/verify';

/**
 * Compares the sandbox with a model of its guide (docs/guides/sandbox.md): settings, creates,
 * completions, settles, faults and resets. After any sequence, every response and the list of
 * contributions must match. Each sequence uses a separate company and alternates between two
 * processes.
 */
const base = '/company/integration';

let service: TestService;
/** Receives no notifications, so it keeps the old key pair for up to a second. */
let other: TestService;
let projectId: number;

interface Link {
  start: number;
  end: number | undefined;
}

interface Contribution {
  id: string;
  key: string;
  cents: number;
  createdAt: number;
  completedAt: number | undefined;
  completedBy: 'itself' | 'simulated' | undefined;
}

// The model. Times are the numbers of the steps.

interface World {
  clients: readonly [Client, Client];
  now: number;
  contributions: Contribution[];
  /** Those of environments that were reset. */
  retired: Contribution[];
  /** The links with the simulated bank. */
  links: Link[];
  /** Kinds of faults that are armed for creates. */
  faults: string[];
}

const isActive = ({ end }: Link): boolean => end === undefined;

const createdDuring = ({ createdAt }: Contribution, { start, end = Infinity }: Link): boolean =>
  createdAt >= start && createdAt < end;

/** Whether the simulated bank may complete it. */
const isShown = ({ links }: World, contribution: Contribution): boolean =>
  links.some((link) =>
    isActive(link)
      ? contribution.completedAt === undefined || contribution.completedAt >= link.start
      : createdDuring(contribution, link),
  );

/** Whether only the simulated bank may complete it. */
const isReserved = ({ links }: World, contribution: Contribution): boolean =>
  links.some((link) => isActive(link) || createdDuring(contribution, link));

function expectedCompletion(world: World, contribution: Contribution): string {
  const { completedBy } = contribution;
  if (completedBy === 'itself') return '200';
  if (isReserved(world, contribution)) return '403 completion_reserved_for_bank';
  if (completedBy === 'simulated') return '409 completed_by_another';
  Object.assign(contribution, { completedAt: world.now, completedBy: 'itself' });
  return '200';
}

function expectedSettle(world: World, contribution: Contribution, difference: number, times: number): string {
  if (!isShown(world, contribution)) return '409 sandbox_conflict';
  const outcomes = Array.from({ length: times }, () => {
    if (contribution.completedBy === 'itself') return 'completed_by_another';
    if (difference !== 0) return 'amount_mismatch';
    if (contribution.completedBy === 'simulated') return 'repeated';
    Object.assign(contribution, { completedAt: world.now, completedBy: 'simulated' });
    return 'completed';
  });
  return `200 ${outcomes.join(' ')}`;
}

// The steps. Numbers choose among the existing items.

const kinds = {
  create: 8,
  repeat: 3,
  complete: 4,
  settle: 6,
  'settle another amount': 2,
  simulated: 2,
  none: 2,
  fault: 2,
  reset: 2,
  'read a retired one': 2,
  'creates during resets': 1,
} as const;
type Kind = keyof typeof kinds;

const step = fc.record({
  kind: fc.oneof(
    ...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
  ),
  what: fc.nat({ max: 999 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const choose = <T>(choices: readonly T[], chosen: number): T | undefined => choices[chosen % choices.length];

/** A status, with the code of an error or the outcomes of a settle. */
function outcomeOf({ status, body }: { status: number; body: unknown }): string {
  const { code, attempts = [] } = body as { code?: string; attempts?: { outcome: string }[] };
  return [status, code, ...attempts.map(({ outcome }) => outcome)]
    .filter((part) => part !== undefined)
    .join(' ');
}

const sendCreate = (client: Client, key: string, cents: number) =>
  client
    .put(`${base}/contributions/create`, {
      project_id: projectId,
      amount: (cents / 100).toFixed(2),
      user_hash: 'somebody',
    })
    .set('Idempotency-Key', key);

/** The armed fault hits the first attempt. The SDK would retry, and so does this. */
async function create(world: World, client: Client, key: string, cents: number): Promise<void> {
  const fault = world.faults.shift();
  if (fault !== undefined) {
    const { status } = await sendCreate(client, key, cents);
    expect([fault, status]).toEqual([fault, fault === '429' ? 429 : 503]);
  }
  const known = world.contributions.find((contribution) => contribution.key === key);
  const { body, headers } = await sendCreate(client, key, cents).expect(201);
  const { transaction_id: id } = body as { transaction_id: string };
  const isReplay = known !== undefined || fault === '503_after_commit';
  expect([fault, headers['idempotent-replayed']]).toEqual([fault, isReplay ? 'true' : undefined]);
  if (known) expect(id).toBe(known.id);
  else {
    const fresh = { completedAt: undefined, completedBy: undefined };
    world.contributions.push({ id, key, cents, createdAt: world.now, ...fresh });
  }
}

async function listed(client: Client): Promise<{ id: string; key: string; status: string }[]> {
  const { body } = await client.get(`${base}/contributions?limit=1000`).expect(200);
  const { data } = body as {
    data: { transaction_id: string; idempotency_key: string; status: string }[];
  };
  return data.map((row) => ({ id: row.transaction_id, key: row.idempotency_key, status: row.status }));
}

function retire(world: World): void {
  world.retired.push(...world.contributions);
  world.contributions = [];
  world.faults = [];
  world.links = world.links.some(isActive) ? [{ start: world.now, end: undefined }] : [];
}

/** Each create belongs to one environment entirely. The list decides which one. */
async function createDuringResets(world: World): Promise<void> {
  const keys = Array.from({ length: 8 }, (_, index) => `concurrent ${world.now} ${index}`);
  // A fault would hit any of them, or none.
  await world.clients[0].delete(`${base}/sandbox/faults`).expect(204);
  world.faults = [];
  const creates = keys.map((key, index) => sendCreate(world.clients[index % 2]!, key, 1_000).expect(201));
  const resets = world.clients.map((client) => client.post(`${base}/sandbox/reset`, {}).expect(200));
  const [created] = await Promise.all([Promise.all(creates), Promise.all(resets)]);
  retire(world);
  const live = new Set((await listed(world.clients[0])).map(({ id }) => id));
  created.forEach(({ body }, index) => {
    const { transaction_id: id } = body as { transaction_id: string };
    const fresh = { completedAt: undefined, completedBy: undefined };
    const contribution = { id, key: keys[index]!, cents: 1_000, createdAt: world.now, ...fresh };
    (live.has(id) ? world.contributions : world.retired).push(contribution);
  });
}

const onContribution = (
  use: (world: World, client: Client, contribution: Contribution) => Promise<void>,
): Play => {
  return async (world, client, what) => {
    const contribution = choose(world.contributions, what);
    if (contribution) await use(world, client, contribution);
  };
};

type Play = (world: World, client: Client, what: number) => Promise<void>;

const settling = (difference: number): Play =>
  onContribution(async (world, client, contribution) => {
    const times = 1 + (world.now % 2);
    const expected = expectedSettle(world, contribution, difference, times);
    const amount = ((contribution.cents + difference) / 100).toFixed(2);
    const path = `${base}/sandbox/contributions/${contribution.id}/settle`;
    expect(outcomeOf(await client.post(path, { amount, times }))).toBe(expected);
  });

const choosing = (bank: 'simulated' | 'none'): Play => {
  return async (world, client) => {
    const settings = { bank, settle_after_seconds: 3_600 };
    await client.put(`${base}/sandbox/settings`, settings).expect(200);
    const active = world.links.find(isActive);
    if (bank === 'none' && active) active.end = world.now;
    if (bank === 'simulated' && !active) world.links.push({ start: world.now, end: undefined });
  };
};

const plays: Record<Kind, Play> = {
  // A key of a retired contribution is new.
  create: (world, client, what) => {
    const key = choose(world.retired, what)?.key ?? `key ${world.now}`;
    const isLive = world.contributions.some((contribution) => contribution.key === key);
    return create(world, client, isLive ? `key ${world.now}` : key, 1_000 + what);
  },
  repeat: onContribution((world, client, { key, cents }) => create(world, client, key, cents)),
  complete: onContribution(async (world, client, contribution) => {
    const path = `${base}/contributions/${contribution.id}`;
    const expected = expectedCompletion(world, contribution);
    expect(outcomeOf(await client.put(path, { status: 'completed' }))).toBe(expected);
  }),
  settle: settling(0),
  'settle another amount': settling(1),
  simulated: choosing('simulated'),
  none: choosing('none'),
  fault: async (world, client, what) => {
    const kind = choose(['503_before', '503_after_commit', '429'], what)!;
    if (world.faults.length > 0) return;
    const fault = { operation: 'createContribution', kind };
    // The same process creates: another one learns of the fault up to a second later.
    await client.post(`${base}/sandbox/faults`, fault).expect(200);
    world.faults.push(kind);
    await create(world, client, `faulty ${world.now}`, 1_000);
  },
  reset: async (world, client) => {
    await client.post(`${base}/sandbox/reset`, {}).expect(200);
    retire(world);
  },
  'read a retired one': async (world, client, what) => {
    const contribution = choose(world.retired, what);
    if (!contribution) return;
    const path = `${base}/contributions/${contribution.id}`;
    // A process without notifications may show it for a second.
    if (client === world.clients[0]) expect((await client.get(path)).status).toBe(404);
    expect((await client.put(path, { status: 'completed' })).status).toBe(404);
  },
  'creates during resets': createDuringResets,
};

async function play({ test }: TestCompany, steps: readonly Step[]): Promise<World> {
  const clients = [test, createClient(other.server, test)] as const;
  const world: World = {
    clients,
    now: 0,
    contributions: [],
    retired: [],
    links: [],
    faults: [],
  };
  for (const { kind, what } of steps) {
    world.now += 1;
    // The process without notifications may not know of an armed fault.
    await plays[kind](world, clients[kind === 'settle' ? 0 : what % 2]!, what);
  }
  return world;
}

const met = { retired: 0, completedByItself: 0, completedBySimulatedBank: 0, pending: 0, relinked: 0 };

function note({ contributions, retired, links }: World): void {
  const all = [...contributions, ...retired];
  if (retired.length > 0) met.retired += 1;
  if (all.some(({ completedBy }) => completedBy === 'itself')) met.completedByItself += 1;
  if (all.some(({ completedBy }) => completedBy === 'simulated')) met.completedBySimulatedBank += 1;
  if (all.some(({ completedBy }) => completedBy === undefined)) met.pending += 1;
  if (links.length > 1) met.relinked += 1;
}

beforeAll(async () => {
  const settings = { SANDBOX_RESETS_PER_DAY: '1000' };
  service = await startService({ settings });
  other = await startService({
    database: service.database,
    settings: { ...settings, DATABASE_NOTIFICATIONS_URL: 'postgres://nobody:nothing@127.0.0.1:1/none' },
  });
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

test('the sandbox matches the model after any sequence of steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const company = await service.addCompany();
      const world = await play(company, steps);
      const expected = world.contributions.map(({ id, key, completedBy }) => ({
        id,
        key,
        status: completedBy === undefined ? 'pending' : 'completed',
      }));
      const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
      expect((await listed(company.test)).sort(byId)).toEqual(expected.sort(byId));
      const { rows } = await service.database.admin.query<{ id: string; status: string }>(
        `SELECT t.transaction_id AS id, t.status FROM transactions t
             JOIN environments e USING (environment_id) JOIN companies c USING (company_id)
            WHERE c.name = $1 AND e.retired_at IS NOT NULL`,
        [company.name],
      );
      const retired = world.retired.map(({ id, completedBy }) => ({
        id,
        status: completedBy === undefined ? 'pending' : 'completed',
      }));
      expect(rows.sort(byId)).toEqual(retired.sort(byId));
      note(world);
    }),
    { seed: 20261125, numRuns: isFullRun ? 60 : 3 },
  );
  expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  if (isFullRun) expect(Object.entries(met).filter(([, count]) => count < 5)).toEqual([]);
}, 600_000);
