import { createDatabase } from '../../src/db/pool/database';
import { createTestDatabase, type TestDatabase } from '../support/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([1, 2])(
  'with %i idle connections, statements of one turn keep the limits of the wait and of the queue',
  async (idle) => {
    const pool = createDatabase(
      {
        connectionString: database.url,
        poolSize: 2,
        queueLength: 4,
        acquireTimeoutMs: 200,
        connectTimeoutMs: 60_000,
        statementTimeoutMs: 60_000,
        lockTimeoutMs: 60_000,
        idleInTransactionTimeoutMs: 60_000,
        replyTimeoutMs: 60_000,
      },
      { onConnectionError: () => undefined },
    );
    await Promise.all(Array.from({ length: idle }, () => pool.runUnprepared('SELECT 1', [])));
    const results = Array.from({ length: 12 }, () =>
      pool.runUnprepared('SELECT pg_sleep(3)', []).then(
        () => 'ran',
        () => 'refused',
      ),
    );
    expect(pool.poolState().waiting).toBeGreaterThan(0);
    const outcomes = await Promise.all(results);
    // Two had a connection. The others gave up long before those were free again.
    expect(outcomes.filter((outcome) => outcome === 'ran').length).toBeLessThanOrEqual(2);
    await pool.close();
  },
);
