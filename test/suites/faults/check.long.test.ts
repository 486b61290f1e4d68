import { addProject } from '../../support/catalogue';
import { startService, type TestService } from '../../support/service';
import type { TenantEnvironment } from './clients/environments';
import { checkJournal, type Query } from './journal/check';
import { type Completion, type Intention, Journal } from './journal/journal';

/**
 * Checks the journal of a run against rows that the service wrote and that are then corrupted by
 * hand.
 */
let service: TestService;
let projectId: number;
let environmentId: number;
let environments: TenantEnvironment[];
let journal: Journal;
let query: Query;

const pair = { apiKey: '', apiSecret: '' };
const exchange = { sentAt: 1, receivedAt: 2, response: undefined };

beforeEach(async () => {
  service = await startService();
  query = async (text, values) => (await service.database.admin.query(text, values)).rows as never[];
  projectId = await addProject(service.database.admin);
  journal = new Journal();
});
afterEach(() => service.stop());

/** Creates through the service, and records the response in the journal. */
async function create(options: { key?: string; complete?: boolean } = {}): Promise<{
  intention: Intention;
  completion: Completion;
}> {
  const company = await service.addCompany();
  const intention = journal.intend({
    environmentId: 0,
    userHash: 'user',
    projectId,
    idempotencyKey: options.key,
  });
  const request = company.test.put('/company/integration/contributions/create', {
    project_id: projectId,
    amount: (intention.amountCents / 100).toFixed(2),
    user_hash: 'user',
  });
  if (options.key !== undefined) request.set('Idempotency-Key', options.key);
  const { body } = await request.expect(201);
  const id = body.transaction_id as string;
  const completion = journal.acknowledgedCreate(intention, id, exchange);
  if (options.complete) {
    completion.references.push(null);
    await company.test.put(`/company/integration/contributions/${id}`, { status: 'completed' }).expect(200);
    journal.acknowledgedCompletion(completion, exchange);
  }
  const rows = await query<{ environment_id: number }>('SELECT environment_id FROM transactions');
  environmentId = rows[0]!.environment_id;
  Object.assign(intention, { environmentId });
  environments = [
    {
      environmentId,
      company: pair,
      completer: pair,
      completerEnvironmentId: environmentId,
      hasBank: false,
      stranger: pair,
    },
  ];
  return { intention, completion };
}

/** Changes that only a superuser can make with the triggers disabled. */
async function byHand(sql: string): Promise<void> {
  await service.database.admin.query(
    `SET session_replication_role = replica; ${sql}; RESET session_replication_role`,
  );
}

async function violations(scope: 'touched' | 'all' = 'touched'): Promise<string[]> {
  await checkJournal(journal, query, environments, scope);
  return journal.violations.map(({ kind }) => kind);
}

test.each(['touched', 'all'] as const)(
  'rows that match the responses have no violation (%s)',
  async (scope) => {
    await create({ key: 'one', complete: true });
    expect(await violations(scope)).toEqual([]);
  },
);

test('an acknowledged create without a row is lost', async () => {
  await create({ key: 'one' });
  await byHand('DELETE FROM transactions');
  expect(await violations()).toEqual(['lost']);
});

test('an acknowledged completion that is pending again is lost', async () => {
  await create({ complete: true });
  await byHand(
    `UPDATE transactions SET status = 'pending', completed_at = NULL, completed_by_environment_id = NULL, completed_by_api_key = NULL`,
  );
  expect(await violations()).toEqual(['lost']);
});

const copyRow = `INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at)
  SELECT environment_id, left(transaction_id, 10) || 'ZZZZZ', user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at FROM transactions`;

test('two rows for one response are duplicates', async () => {
  await create();
  await byHand(copyRow);
  expect(await violations()).toEqual(['doubled']);
});

test('two rows for one response and one lost response without a key are permitted', async () => {
  const { intention } = await create();
  intention.uncertain += 1;
  await byHand(copyRow);
  expect(await violations()).toEqual([]);
});

test('two rows for one key are duplicates, whatever was uncertain', async () => {
  const { intention } = await create({ key: 'one' });
  intention.uncertain += 5;
  await byHand(copyRow);
  // The copy does not have the key either.
  expect(await violations()).toEqual(['doubled', 'illegal']);
});

test.each([
  ['another project', 'project_id = project_id + 1'],
  ['another key', `idempotency_key = 'two'`],
])('a row with %s is illegal', async (_, change) => {
  await create({ key: 'one' });
  await byHand(`UPDATE transactions SET ${change}`);
  expect(await violations()).toEqual(['illegal']);
});

test('a row with another amount is lost, and no request had the new one', async () => {
  await create({ key: 'one' });
  await byHand('UPDATE transactions SET amount_cents = 777');
  expect(await violations()).toEqual(['lost', 'illegal']);
});

test('a completion without a request is illegal', async () => {
  await create();
  await byHand(
    `UPDATE transactions SET status = 'completed', completed_at = now(), completed_by_environment_id = environment_id, completed_by_api_key = created_by_api_key`,
  );
  expect(await violations()).toEqual(['illegal']);
});

test('a completion with a reference that no request had is illegal', async () => {
  await create({ complete: true });
  await byHand(`UPDATE transactions SET bank_reference = 'FT-1'`);
  expect(await violations()).toEqual(['illegal']);
});

describe('a corrected contribution', () => {
  async function correct(times: 'once' | 'and completed again'): Promise<void> {
    const { completion } = await create({ complete: true });
    await query(
      `SELECT correct_contribution_as_operator(transaction_id, 'wrong', gen_random_uuid()) FROM transactions`,
    );
    completion.correction = 'acknowledged';
    if (times === 'once') return;
    completion.references.push('FT-2');
    completion.replacement = 'acknowledged';
    await query(
      `SELECT complete_contribution_of(environment_id, environment_id, created_by_api_key, transaction_id, NULL, 'FT-2',
                                       NULL, gen_random_uuid()) FROM transactions`,
    );
  }

  test.each(['once', 'and completed again'] as const)('%s has no violation', async (times) => {
    await correct(times);
    expect(await violations()).toEqual([]);
  });

  test('whose correction is gone is lost', async () => {
    await correct('once');
    await byHand('UPDATE transactions SET corrected_at = NULL');
    expect(await violations()).toEqual(['lost']);
  });

  test('whose next completion was taken back is lost', async () => {
    await correct('and completed again');
    await byHand('UPDATE transactions SET corrected_at = now()');
    expect(await violations()).toEqual(['lost']);
  });

  test('that was completed more often than requested is doubled', async () => {
    await correct('and completed again');
    await byHand('UPDATE transactions SET completion = 3');
    expect(await violations()).toEqual(['doubled']);
  });

  test('that nobody corrected is illegal', async () => {
    await create({ complete: true });
    await byHand('UPDATE transactions SET corrected_at = now()');
    expect(await violations()).toEqual(['illegal']);
  });
});

test('a completion by another environment is illegal', async () => {
  const { completion } = await create({ complete: true });
  environments = [{ ...environments[0]!, completerEnvironmentId: environmentId + 1 }];
  expect(completion.acknowledged).toBe(1);
  expect(await violations()).toEqual(['illegal']);
});
