import { inOperatorTransaction } from '../../../src/db/operator-transaction';
import { createCompaniesStore } from '../../../src/modules/companies/companies.store';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { lockWaits } from '../../support/lock-waits';
import { until } from '../../support/until';

/**
 * Every node has a copy of a reference table. An UPDATE that waits for another change of the table
 * has read the coordinator's copy before, but reads the workers' copies afterwards. So changes of
 * one row need a lock that comes first, or the copies would differ for good.
 */
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const links = `SELECT count(*) FILTER (WHERE unlinked_at IS NULL) FROM bank_links`;

test('a link that ends while it is being made ends on every node', async () => {
  const [company, bank] = await inOperatorTransaction(database.ownerUrl, 'write', async (statements) => {
    const store = createCompaniesStore(statements);
    return [(await store.create('Acme'))!, (await store.create('Bank'))!] as const;
  });
  let unlinking: Promise<boolean> | undefined;
  await inOperatorTransaction(database.ownerUrl, 'write', async (statements) => {
    await createCompaniesStore(statements).linkBank('test', company, bank);
    unlinking = inOperatorTransaction(database.ownerUrl, 'write', (others) =>
      createCompaniesStore(others).unlinkBank('test', company, bank),
    );
    await until('the other command waits', async () => (await lockWaits(database.admin)).length > 0);
  });
  expect(await unlinking).toBe(true);
  const { rows } = await database.admin.query('SELECT result FROM run_command_on_all_nodes($1)', [links]);
  expect(rows).toEqual([{ result: '0' }, { result: '0' }, { result: '0' }]);
});
