import type { RecordedBatch } from '../../../src/features/webhooks/courier/recorded-batch';
import type { Pool } from 'pg';

import { addProject, addStory } from '../../support/catalogue';
import type { TestDatabase } from '../../support/database';
import { environmentOf } from '../../support/environment';
import { relayAll } from '../../support/feed';
import { operate } from '../../support/operations';
import { calculateFigures } from '../../support/project-figures';
import { sendReturn, sendUndo } from '../../support/returns';
import { daysCompared, statementFile, uploadAndWait } from '../../support/statement-files';
import { startService, type TestCompany } from '../../support/service';
import type { CorruptedWorld } from './corruptions/corruption';

export const newContribution = '/company/integration/contributions/create';

/** Part of every user_hash, name and idempotency key that is written here. */
export const canary = /canary/i;

const evidence = {
  status: 'completed',
  amount: '12.34',
  bank_reference: 'FT-1',
  value_date: '2026-11-20',
} as const;
const addressOf = (transactionId: string): string => `/company/integration/contributions/${transactionId}`;

/** A delivery of the pending contribution's created event fails, as the courier records it. */
async function postponeDelivery(admin: Pool, { environmentId, pending }: CorruptedWorld): Promise<void> {
  const lease = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3d';
  const ofEnvironment = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row> =>
    (await admin.query<Row>(text, [environmentId, ...values])).rows[0]!;
  const { endpointId } = await ofEnvironment<{ endpointId: string }>(
    'SELECT endpoint_id AS "endpointId" FROM webhook_endpoints WHERE environment_id = $1',
  );
  const { settings, url } = await ofEnvironment<{ settings: string; url: string }>(
    'SELECT settings, url FROM claim_webhook_endpoint($1, $2, $3)',
    ...[endpointId, lease],
  );
  const { eventId, sequence } = await ofEnvironment<{ eventId: string; sequence: string }>(
    `SELECT event_id AS "eventId", sequence FROM feed_events
      WHERE environment_id = $1 AND transaction_id = $2 AND type = 'contribution.created'`,
    pending,
  );
  const batch: RecordedBatch = {
    settings,
    url,
    failures_before: 0,
    has_late: false,
    position: Number(sequence),
    has_success: false,
    continues: false,
    disabled_reason: null,
    health: {
      failure_count: 1,
      failing_since: 'now',
      next_probe_seconds: null,
      probe_count: 0,
      notice_count: 0,
    },
    ends_failures: false,
    ends_outage: false,
    attempts: [],
    delivered: [],
    postponed: [
      {
        ...{ event_id: eventId, sequence: Number(sequence), transaction_id: pending },
        ...{ attempts: 1, outage_attempts: 1, wait_seconds: 5 },
      },
    ],
    rescheduled: [],
    removed: [],
    exhausted: [],
    exhausted_notices: [],
    health_notices: [],
  };
  await admin.query('SELECT settle_webhook_batch($1, $2, $3, $4)', [
    environmentId,
    endpointId,
    lease,
    JSON.stringify(batch),
  ]);
}

/** Reconciles a month in which a payment of a contribution arrived, twice told. */
async function closeMonthWithDecision({ production }: TestCompany, transactionId: string): Promise<void> {
  const gift = { cents: 12_34n, id: transactionId, reference: 'AX-1', date: '2026-10-20' };
  const rent = { cents: 7_00n, reference: 'AX-2', text: 'rent', date: '2026-10-21' };
  const october = { from: '2026-10-01', to: '2026-10-31' };
  await uploadAndWait(production, statementFile([gift, rent], october));
  await uploadAndWait(production, statementFile([gift], { ...october, kind: '054' }));
  const { body } = await production.get('/company/integration/statements/entries').expect(200);
  const [{ entry_id: entryId }] = (body as { data: [{ entry_id: string }] }).data;
  const reason = { reason: 'canary' };
  await production
    .post(`/company/integration/statements/entries/${entryId}/decisions`, { action: 'ignore', ...reason })
    .expect(200);
  await daysCompared(production);
  await production.post('/company/integration/reconciliation/months/2026-10/close', reason).expect(200);
}

/**
 * Has the service write all kinds of rows. It creates and completes contributions as a company and
 * as a bank, with rejected and repeated completions. It also records a return and its undo, a bank
 * statement and a story view. Two unrelated companies do the same.
 */
export async function createActivity(
  database: TestDatabase,
): Promise<{ here: CorruptedWorld; elsewhere: CorruptedWorld }> {
  const { admin } = database;
  const service = await startService({ database });
  const projectId = await addProject(admin);
  const storyId = await addStory(admin, projectId);
  const here = await service.addCompany('Own');
  const elsewhere = await service.addCompany('Other');
  const banked = await service.addCompany('Banked');
  const bank = await service.addCompany('Bank');
  await service.companies.linkBank('production', 'Banked', 'Bank');

  const body = { project_id: projectId, amount: '12.34', user_hash: 'canary-hash', name: 'Canary' };
  async function create({ production }: TestCompany, key: string): Promise<string> {
    const response = await production.put(newContribution, body).set('Idempotency-Key', key).expect(201);
    return response.body.transaction_id as string;
  }

  const completedByBank = await create(banked, 'canary-key-3');
  await bank.production.put(addressOf(completedByBank), evidence).expect(200);
  const bankEnvironmentId = await environmentOf(admin, 'Bank', 'production');

  async function act(company: TestCompany): Promise<CorruptedWorld> {
    const pending = await create(company, 'canary-key-1');
    const completed = await create(company, 'canary-key-2');
    const put = (path: string, body: object) => company.production.put(path, body);
    await put(addressOf(pending), { ...evidence, amount: '12.35' }).expect(409);
    await put(addressOf(completed), evidence).expect(200);
    await put(addressOf(completed), { ...evidence, bank_reference: 'FT-2' }).expect(200);
    const returned = await create(company, 'canary-key-4');
    await put(addressOf(returned), evidence).expect(200);
    const sent = { kind: 'return', code: 'R01', amount: '2.34', bank_reference: 'RT-1' };
    const { body: back } = await sendReturn(company.production, returned, sent).expect(201);
    const undone = { amount: '1.00', bank_reference: 'PA-1', value_date: '2026-11-21' };
    await sendUndo(company.production, returned, (back as { return_id: string }).return_id, undone).expect(
      201,
    );
    const corrected = await create(company, 'canary-key-5');
    for (const reference of ['FT-5', 'FT-6']) {
      await put(addressOf(corrected), { ...evidence, bank_reference: reference }).expect(200);
      const { completed_at } = (await company.production.get(addressOf(corrected)).expect(200)).body;
      await company.production
        .post(`${addressOf(corrected)}/correction`, { reason: 'wrong', completed_at: completed_at as string })
        .expect(201);
    }
    await closeMonthWithDecision(company, returned);
    await company.production
      .post('/company/integration/webhook-endpoints', { url: 'https://hooks.example/' })
      .expect(201);
    await put(`/company/integration/stories/${storyId}/views`, { user_hash: 'canary-hash' }).expect(204);
    const environmentId = await environmentOf(admin, company.name, 'production');
    const { rows } = await admin.query<{ user_id: string }>(
      'SELECT user_id FROM users WHERE environment_id = $1',
      [environmentId],
    );
    return {
      environmentId,
      testEnvironmentId: await environmentOf(admin, company.name, 'test'),
      bankedEnvironmentId: await environmentOf(admin, 'Banked', 'production'),
      bankEnvironmentId,
      userId: rows[0]!.user_id,
      projectId,
      pending,
      completed,
      completedByBank,
      returned,
      corrected,
    };
  }
  const activity = { here: await act(here) };
  // The events of one company stay queued.
  await relayAll(admin);
  await postponeDelivery(admin, activity.here);
  // Nothing is counted, so that a corruption changes no total. A total of 0 also remains when
  // contributions are no longer pending.
  await admin.query(
    `INSERT INTO contribution_totals VALUES ($1, 'created', '2026-01-01', $2, 0, '-infinity', '-infinity', 0, 0, 0)`,
    [activity.here.environmentId, projectId],
  );
  // Some figures are added up; the other changes stay pending as long as this database exists.
  await calculateFigures(database);
  await admin.query(`UPDATE project_figures_turn SET taken_at = 'infinity'`);
  const everything = { ...activity, elsewhere: await act(elsewhere) };
  for (let count = 0; count < 5; count += 1) {
    const action = {
      claimedOperator: 'änna',
      command: 'keys revoke',
      target: 'Größe',
      arguments: { count },
      result: { count },
    };
    await operate(database, ({ actions }) => actions.record(action));
  }
  await service.stop();
  return everything;
}
