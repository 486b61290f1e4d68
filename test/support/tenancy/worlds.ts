import { addProject, addStory } from '../catalogue';
import type { Client } from '../client';
import { countAll } from '../totals';
import type { TestCompany, TestService } from '../service';
import { statementFile, uploadAndWait } from '../statement-files';
import { verifyEndpoint } from '../added-endpoint';

const base = '/company/integration';

/** One company's data in its test environment. No other company may see it. */
export interface World {
  company: TestCompany;
  environmentId: number;
  companyId: string;
  projectId: number;
  storyId: number;
  userHash: string;
  name: string;
  idempotencyKey: string;
  bankReference: string;
  /** A completed transaction without returns. */
  correctableId: string;
  /** A return of the first transaction. */
  returnId: string;
  /** Its first event: the creation of the first transaction. */
  eventId: string;
  /** Its webhook endpoints. One is deleted at a time, from the end. */
  endpointIds: string[];
  endpointHost: string;
  /** A replay to its first endpoint that has no events. */
  replayId: string;
  /** The file_id of its statement, which pays the first transaction. */
  fileId: string;
  /** The entry_id of the entry of that file. */
  entryId: string;
  accountId: string;
  /** Another account of the company, which has statements too. */
  otherAccountId: string;
  /** All of its transactions. The first is completed and has the idempotency key. */
  transactionIds: string[];
  /** A transaction to complete. */
  takePending(): string;
  /** A transaction that stays pending, unless all of them have been completed. */
  showPending(): string;
  /** next_cursor of the first page of its list. */
  cursor: string;
}

/** The body of the contribution with the idempotency key; the owner's repeat is a replay. */
export function keyedContribution({ projectId, userHash, name }: World): Record<string, string | number> {
  return { project_id: projectId, amount: '40.00', user_hash: userHash, name };
}

/** @param prepare changes the company before it creates anything, for example links a bank */
export async function createWorld(
  service: TestService,
  label: string,
  prepare: (company: TestCompany) => Promise<Client | undefined>,
): Promise<World> {
  const { admin } = service.database;
  const company = await service.addCompany(`Company ${label}`);
  // The bank completes if there is one.
  const completer = (await prepare(company)) ?? company.test;
  const { rows } = await admin.query<{ environment_id: number; company_id: string }>(
    `SELECT environment_id, company_id FROM environments JOIN companies USING (company_id) WHERE name = $1 AND kind = 'test'`,
    [company.name],
  );
  const projectId = await addProject(admin);
  const storyId = await addStory(admin, projectId);
  const world: World = {
    company,
    environmentId: rows[0]!.environment_id,
    companyId: rows[0]!.company_id,
    projectId,
    storyId,
    userHash: `hash-of-${label}/+==`,
    name: `Name-of-${label}`,
    idempotencyKey: `key-of-${label}`,
    bankReference: `REFERENCE-OF-${label}`,
    correctableId: '',
    returnId: '',
    eventId: '',
    endpointIds: [],
    replayId: '',
    endpointHost: `hooks-of-${label}.example.com`,
    fileId: '',
    entryId: '',
    accountId: '',
    otherAccountId: '',
    transactionIds: [],
    takePending() {
      const id = pending.pop();
      if (id === undefined) throw new Error(`${label} has no pending transaction left`);
      return id;
    },
    // `takePending` takes this one last, and no test takes enough to reach it.
    showPending: () => pending[0]!,
    cursor: '',
  };
  const create = async (key: string): Promise<string> => {
    const response = await company.test
      .put(`${base}/contributions/create`, keyedContribution(world))
      .set('Idempotency-Key', key)
      .expect(201);
    return response.body.transaction_id as string;
  };

  const first = await create(world.idempotencyKey);
  const evidence = { status: 'completed', bank_reference: world.bankReference };
  await completer.put(`${base}/contributions/${first}`, evidence).expect(200);
  const moneyReturn = { kind: 'return', amount: '5.00', bank_reference: world.bankReference };
  const returned = await completer.post(`${base}/contributions/${first}/returns`, moneyReturn).expect(201);
  world.returnId = returned.body.return_id as string;
  await company.test.put(`${base}/stories/${storyId}/views`, { user_hash: world.userHash }).expect(204);
  world.correctableId = await create(`${world.idempotencyKey}-correctable`);
  await completer.put(`${base}/contributions/${world.correctableId}`, { status: 'completed' }).expect(200);
  const pending: string[] = [];
  for (let count = 0; count < 8; count += 1) pending.push(await create(`${world.idempotencyKey}-${count}`));
  world.transactionIds = [first, world.correctableId, ...pending];
  const line = { cents: 40_00n, id: first, reference: world.bankReference };
  const statement = statementFile([line], { account: `ACCOUNT-OF-${label}`, from: '2026-11-20' });
  const file = await uploadAndWait(company.test, statement);
  world.fileId = file.file_id;
  world.accountId = file.accounts[0]!.account_id;
  // The file above is voided, and then has no entries.
  const other = statementFile([{ cents: 1n, reference: 'FEE' }], {
    account: `FEES-OF-${label}`,
    from: '2026-11-20',
  });
  const fees = await uploadAndWait(company.test, other);
  world.otherAccountId = fees.accounts[0]!.account_id;
  const entries = await company.test.get(`${base}/statements/${fees.file_id}/entries`).expect(200);
  world.entryId = (entries.body as { data: { entry_id: string }[] }).data[0]!.entry_id;
  await countAll(admin);
  const events = await admin.query<{ event_id: string }>(
    `SELECT event_id FROM feed_events WHERE environment_id = $1 AND type = 'contribution.created'
      ORDER BY sequence LIMIT 1`,
    [world.environmentId],
  );
  world.eventId = events.rows[0]!.event_id;
  for (const path of ['a', 'b', 'c']) {
    const created = await company.test
      .post(`${base}/webhook-endpoints`, { url: `https://${world.endpointHost}/${path}` })
      .expect(201);
    const endpointId = created.body.endpoint_id as string;
    await verifyEndpoint(service.database.admin, endpointId);
    world.endpointIds.push(endpointId);
  }
  const replay = await company.test
    .post(`${base}/webhook-endpoints/${world.endpointIds[0] ?? ''}/replays`, { from_sequence: 1 })
    .expect(201);
  world.replayId = replay.body.replay_id as string;
  const page = await company.test.get(`${base}/contributions?limit=1`).expect(200);
  world.cursor = page.body.next_cursor as string;
  return world;
}
