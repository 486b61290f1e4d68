import type { ErrorCode } from '../../src/shared/errors';
import type { Client } from '../support/client';
import { cells } from '../support/error-triggers/cells';
import { invalidSampleOf, type PathValues, sampleOf } from '../support/error-triggers/sample';
import { send } from '../support/error-triggers/send';
import { errorTriggers } from '../support/error-triggers/triggers';
import { completed, fullyReturned } from '../support/error-triggers/triggers/returns.triggers';
import { uploadEntry } from '../support/error-triggers/triggers/statements.triggers';
import { createWorld, type World } from '../support/error-triggers/world';
import { documentedOperations } from '../support/openapi/operations';
import { readFeed, relayAll } from '../support/feed';
import { sample } from '../support/full-run';
import { statementFile, statementsPath, uploadAndWait } from '../support/statement-files';
import { accountsPath } from '../support/statement-setup';
import { verifyEndpoint } from '../support/added-endpoint';
import { errorCodes } from '../support/errors';

/** Causes each documented error code of each operation. */
let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

test('every error code is documented for an operation, except those that need no operation', () => {
  const documented = new Set(cells.map(({ code }) => code));
  const notDocumented = errorCodes.filter((code) => !documented.has(code));
  expect(notDocumented).toEqual<ErrorCode[]>(['path_not_found', 'method_not_allowed']);
});

test('every error trigger causes a documented error code', () => {
  const documented = new Set<string>(cells.map(({ code }) => code));
  expect(Object.keys(errorTriggers).filter((code) => !documented.has(code))).toEqual([]);
});

test.each(sample(cells, 4))(
  '$operationId responds with $status $code',
  async ({ operation, status, code }) => {
    const trigger = errorTriggers[code];
    if (!trigger) {
      throw new Error(
        `no trigger exists for ${code}: add an error trigger to test/support/error-triggers/triggers, or take the code from the document`,
      );
    }
    expect(await trigger(world, operation)).toEqual({ status, code });
  },
);

/** A company whose contributions the simulated bank completes, later. */
async function addSimulated(): Promise<Client> {
  const { test: client } = await world.service.addCompany();
  const settings = { bank: 'simulated', settle_after_seconds: 3_600 };
  await client.put('/company/integration/sandbox/settings', settings).expect(200);
  return client;
}

/** Values of path parameters for which the operation succeeds. */
async function acceptedValues(
  { operationId, path }: { operationId: string; path: string },
  client: Client,
): Promise<PathValues> {
  if (path.startsWith('/company/integration/events/{event_id}')) {
    const values = await world.pathValues(client);
    await relayAll(world.database.admin);
    return { ...values, event_id: (await readFeed(client)).data[0]!.id };
  }
  if (operationId.includes('Webhook')) {
    const created = await client
      .post('/company/integration/webhook-endpoints', { url: 'https://app.example.com/first' })
      .expect(201);
    const values = await world.pathValues(client);
    await relayAll(world.database.admin);
    const [event] = (await readFeed(client)).data;
    const endpointId = created.body.endpoint_id as string;
    await verifyEndpoint(world.database.admin, endpointId);
    const found = { ...values, event_id: event!.id, endpoint_id: endpointId };
    if (!path.includes('{replay_id}')) return found;
    const replay = await client
      .post(`/company/integration/webhook-endpoints/${endpointId}/replays`, { from_sequence: 1 })
      .expect(201);
    return { ...found, replay_id: replay.body.replay_id as string };
  }
  if (/\{(file|account)_id\}/.test(path)) {
    const file = statementFile([{ cents: 1n, reference: 'AX-1' }], { from: '2026-11-20' });
    const { file_id: fileId, accounts } = await uploadAndWait(client, file);
    const values = { file_id: fileId, account_id: accounts[0]!.account_id, day: '2026-11-20' };
    if (!path.includes('{other_account_id}')) return values;
    const another = statementFile([], { from: '2026-11-20', account: 'ANOTHER-NUMBER' });
    const { accounts: others } = await uploadAndWait(client, another);
    return { ...values, other_account_id: others[0]!.account_id };
  }
  if (path.includes('{entry_id}')) {
    const values = await world.pathValues(client);
    return {
      ...values,
      entry_id: await uploadEntry(client, { id: values['transaction_id']!, cents: 25_00n }),
    };
  }
  if (['recordReturn', 'correctContribution'].includes(operationId)) return completed(world, client);
  return path.includes('{return_id}') ? fullyReturned(world, client) : world.pathValues(client);
}

/** Members of the body that name what exists, instead of those of the example. */
async function acceptedBody(operationId: string, client: Client, values: PathValues): Promise<object> {
  if (operationId === 'addAccountNumber') {
    const file = statementFile([{ cents: 2n }], { from: '2026-11-20', account: 'ANOTHER-NUMBER' });
    const { file_id: fileId, accounts } = await uploadAndWait(client, file);
    await client.post(`${statementsPath}/${fileId}/void`, { reason: 'the same account' }).expect(200);
    return { other_account_id: accounts[0]!.account_id };
  }
  if (operationId === 'decideEntries') {
    const entryId = await uploadEntry(client, { id: values['transaction_id']!, cents: 25_00n });
    return { decisions: [{ entry_id: entryId, action: 'ignore', reason: 'rent' }] };
  }
  if (operationId === 'answerDayQuestion') {
    await uploadAndWait(client, statementFile([{ cents: 2n, reference: 'AX-2' }], { from: '2026-11-20' }));
    const path = `${accountsPath}/${values['account_id']}/days?from=2026-11-20&to=2026-11-21`;
    const { body } = await client.get(path).expect(200);
    const [{ questions }] = (body as { data: [{ questions: { versions: string[] }[] }] }).data;
    const [{ versions }] = questions as [{ versions: string[] }];
    return { version: versions[0], among: versions };
  }
  if (operationId !== 'closeMonth' && operationId !== 'reopenMonth') return {};
  const without = { accounts_without_statements: [values['account_id']] };
  if (operationId === 'closeMonth') return without;
  await client
    .post(`/company/integration/reconciliation/months/${values['month']}/close`, {
      ...{ reason: 'known', ...without },
    })
    .expect(200);
  return {};
}

describe('the example request of the document', () => {
  test.each(documentedOperations)('of $operationId is accepted', async (operation) => {
    const client =
      operation['x-scope'] === 'sandbox' ? await addSimulated() : (await world.service.addCompany()).test;
    const values = await acceptedValues(operation, client);
    const body = await acceptedBody(operation.operationId, client, values);
    const { status } = await send(world.service, client, sampleOf(operation, values, body));
    expect(Object.keys(operation.responses)).toContain(String(status));
    expect(status).toBeLessThan(300);
  });
});

describe('an operation without documented invalid_request', () => {
  const isRefusing = new Set(
    cells.filter(({ code }) => code === 'invalid_request').map(({ operationId }) => operationId),
  );
  test.each(documentedOperations.filter(({ operationId }) => !isRefusing.has(operationId)))(
    '$operationId has no input that could be invalid',
    (operation) => {
      expect(() =>
        invalidSampleOf(operation, { transaction_id: 'K7Q20CR5M3V9XHG', project_id: '1', story_id: '1' }),
      ).toThrow('no invalid input is known');
    },
  );
});
