import { addProject } from '../support/catalogue';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

/** How the log attributes slow and failed statements to their requests. */
const base = '/company/integration';
let service: TestService;

afterEach(() => service.stop());

const lines = (message: string): Record<string, unknown>[] =>
  service.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === message);

/** Concurrent requests with separate ids that wait for a lock on the table of projects. */
async function sendWhileLocked(ids: readonly string[], holdMs: number): Promise<number[]> {
  const company = await service.addCompany();
  const projectId = await addProject(service.database.admin);
  await company.test.get(`${base}/get/project/${projectId}`).expect(200);
  const holder = await service.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
    const responses = ids.map((id) =>
      company.test
        .raw('get', `${base}/get/project/${projectId}?user_hash=canary-hash`)
        .set('X-Request-Id', id)
        .then(({ status }) => status),
    );
    await new Promise((resolve) => setTimeout(resolve, holdMs));
    await holder.query('ROLLBACK');
    return await Promise.all(responses);
  } finally {
    holder.release();
  }
}

longTest('slow statements of concurrent requests are each logged with the id of their request', async () => {
  service = await startService({
    settings: { SLOW_STATEMENT_MS: '150', DATABASE_POOL_SIZE: '3', DATABASE_LOCK_TIMEOUT_MS: '5000' },
  });
  // There are three connections, and a background statement may use one. So some are reused.
  const sent = ['first', 'second', 'third', 'fourth'];
  expect(await sendWhileLocked(sent, 400)).toEqual([200, 200, 200, 200]);
  const slow = lines('slow statement').filter(({ statement }) => statement === 'find_project');
  const ids = slow.map((line) => line['request_id']);
  expect(ids.length).toBeGreaterThanOrEqual(2);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !sent.includes(String(id)))).toEqual([]);
  for (const line of slow) expect(line['duration_ms']).toBeGreaterThanOrEqual(150);
  expect(service.logLines.join('')).not.toContain('canary-hash');
});

test('when switched off, no slow statement is logged, and a failed one is logged with its request', async () => {
  service = await startService({ settings: { DATABASE_LOCK_TIMEOUT_MS: '150' } });
  expect(await sendWhileLocked(['late'], 400)).toEqual([503]);
  expect(lines('slow statement')).toEqual([]);
  expect(lines('failed')).toEqual([
    expect.objectContaining({
      request_id: 'late',
      error: expect.objectContaining({ cause: expect.objectContaining({ statement: 'find_project' }) }),
    }),
  ]);
});

test('the statements of a list, which are not prepared, show their request in pg_stat_activity', async () => {
  service = await startService({ settings: { DATABASE_LOCK_TIMEOUT_MS: '5000' } });
  const company = await service.addCompany();
  const list = () => company.test.raw('get', `${base}/contributions`).set('X-Request-Id', 'a.list-of_mine');
  expect((await list()).status).toBe(200);
  const holder = await service.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    const response = list().then(({ status }) => status);
    const shown = async (): Promise<string[]> => {
      // Not on the connection that holds the lock: a transaction reads the same statistics snapshot
      // again.
      const { rows } = await service.database.admin.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.map(({ query }) => query);
    };
    const ofTheList = /^\/\* list_transactions request_id=a\.list-of_mine \*\/ /;
    await until('the list waits and shows its request', async () =>
      (await shown()).some((query) => ofTheList.test(query)),
    );
    await holder.query('ROLLBACK');
    expect(await response).toBe(200);
  } finally {
    holder.release();
  }
});
