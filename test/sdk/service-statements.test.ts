import { ContributionService, type CsvMapping } from '../../packages/sdk/src/index.js';
import type { AcceptedMapping } from '../../src/features/statements/csv-mapping.field';
import { addProject } from '../support/catalogue';
import { relayAll } from '../support/feed';
import { startService, type TestService } from '../support/service';
import { statementFile } from '../support/statement-files';
import { until } from '../support/until';
import { errorOf, user } from './fake-service';
import { verifyEndpoint } from '../support/added-endpoint';

/** The SDK against the real service: bank statements and webhook endpoints. */
let service: TestService;
let client: ContributionService;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
});
beforeEach(async () => {
  const { apiKey = '', apiSecret = '' } = (await service.addCompany()).test;
  const apiUrl = `http://127.0.0.1:${service.port}/company/integration`;
  client = new ContributionService({ apiKey, apiSecret, apiUrl, expectEnvironment: 'test' });
});
afterAll(() => service.stop());

async function createCompleted(): Promise<string> {
  const order = { project_id: projectId, amount: '25.00', user_hash: user };
  const { transaction_id: id } = await client.contributions.create(order, { idempotencyKey: 'ephemeral' });
  await client.bank.complete(id, { amount: '25.00' });
  return id;
}

function bytesOf(id: string): Buffer {
  const lines = [
    { cents: 25_00n, id },
    { cents: 1_00n, text: 'no id' },
  ];
  return Buffer.from(statementFile(lines, { from: '2026-11-20' }));
}

test('a statement is checked, uploaded once, matched and voided', async () => {
  const id = await createCompleted();
  const bytes = bytesOf(id);
  expect(await client.statements.upload({ file: bytes, dry_run: true })).toMatchObject({ entries: 2 });
  expect((await client.statements.list()).data).toEqual([]);
  const { data: file, replayed } = await client.statements.upload({ file: bytes }).withResponse();
  expect([file.format, replayed]).toEqual(['camt.053', false]);
  const copy = new Blob([new Uint8Array(bytes)]);
  const differs = client.statements.upload({ file: copy, direction: 'debit' });
  expect(await errorOf(differs)).toMatchObject({ code: 'statement_options_differ' });
  const again = client.statements.upload({ file: copy });
  expect(await again.withResponse()).toMatchObject({ replayed: true, data: { file_id: file.file_id } });
  await until('the file is matched', async () => {
    const { state } = await client.statements.retrieve(file.file_id);
    return state === 'matched';
  });

  const unknown = (await client.statements.listEntries(file.file_id, { outcome: 'unknown' })).data;
  expect(unknown).toMatchObject([{ amount: '1.00', reason: 'no_reference' }]);
  expect(await client.reconciliation.retrieve(id)).toMatchObject({
    position: 'matched',
    net_amount: '25.00',
  });
  expect((await client.reconciliation.list({ from: new Date(0), position: 'matched' })).data).toMatchObject([
    { transaction_id: id },
  ]);
  expect((await client.reconciliation.list({ open: true })).data).toEqual([]);
  expect(await client.reconciliation.summarize({ to: '2100-01-01T00:00:00Z' })).toMatchObject({ open: 0 });
  const [account] = (await client.statements.accounts.list()).data;
  const covered = client.statements.accounts.update(account!.account_id, { complete_coverage: true });
  expect(await covered).toMatchObject({ complete_coverage: true, grace_days: 3 });
  expect(await client.statements.void(file.file_id, { reason: 'Test' })).toMatchObject({ state: 'voided' });
});

test('a statement must be bytes, because its encoding is that of the bank', async () => {
  const text = 'a statement' as unknown as Uint8Array;
  expect(await errorOf(client.statements.upload({ file: text }))).toMatchObject({ field: 'file' });
  const wrong = client.statements.upload({ file: Buffer.from('a statement') });
  expect(await errorOf(wrong)).toMatchObject({ code: 'statement_unreadable' });
});

test('a webhook endpoint is created, changed, disabled, enabled, pinged and deleted', async () => {
  const id = await createCompleted();
  await relayAll(service.database.admin);
  const endpoints = client.webhookEndpoints;
  const url = 'https://webhooks.example.com/';
  const { endpoint_id: endpointId, secret } = await endpoints.create({ url });
  expect(await errorOf(endpoints.create({ url }))).toMatchObject({ code: 'webhook_url_taken' });
  expect(await endpoints.update(endpointId, { types: ['contribution.returned'] })).toMatchObject({ url });
  expect((await endpoints.rotateSecret(endpointId, { overlap_hours: 1 })).secret).not.toBe(secret);
  expect(await endpoints.disable(endpointId)).toMatchObject({ status: 'disabled' });
  expect(await endpoints.enable(endpointId)).toMatchObject({ status: 'unverified' });
  expect((await endpoints.list()).data).toEqual([await endpoints.retrieve(endpointId.toUpperCase())]);

  // This name has no address.
  expect(await endpoints.ping(endpointId)).toMatchObject({ kind: 'ping', outcome: 'failed' });
  await verifyEndpoint(service.database.admin, endpointId);
  const [event] = (await client.events.list({ transaction_id: id })).data;
  // The client waits for the host, which has failed.
  const resent = await endpoints.resend(endpointId, event!.id);
  expect(resent).toMatchObject({ kind: 'resend', event_id: event!.id, outcome: 'failed' });
  expect((await endpoints.listAttempts(endpointId, { limit: 1 })).data).toMatchObject([{ kind: 'resend' }]);
  expect(await endpoints.delete(endpointId).withResponse()).toMatchObject({ status: 204 });
  expect(await errorOf(endpoints.retrieve(endpointId))).toMatchObject({ code: 'webhook_endpoint_not_found' });
});

test('a rotation whose response is lost is repeated, and loses no secret', async () => {
  const { apiKey = '', apiSecret = '' } = (await service.addCompany()).test;
  let isLost = false;
  const lossy: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (!isLost) return response;
    isLost = false;
    await response.body?.cancel();
    throw new TypeError('fetch failed');
  };
  const own = new ContributionService({
    apiKey,
    apiSecret,
    apiUrl: `http://127.0.0.1:${service.port}/company/integration`,
    expectEnvironment: 'test',
    fetch: lossy,
  });
  const { endpoint_id: endpointId } = await own.webhookEndpoints.create({
    url: 'https://webhooks.example.com/',
  });
  isLost = true;
  const rotated = await own.webhookEndpoints.rotateSecret(endpointId).withResponse();
  expect([rotated.attempts, rotated.data.secret_version]).toEqual([2, 2]);
});

test('the type of a CSV mapping has every member that the service reads, and no other', async () => {
  const mapping: Required<Omit<CsvMapping, 'amount'>> &
    Record<Exclude<keyof AcceptedMapping, 'amount'>, unknown> = {
    date: 'Day',
    date_format: 'DD.MM.YYYY',
    credit: 'In',
    debit: 'Out',
    decimal: ',',
    delimiter: ';',
    texts: ['Text'],
    bank_reference: 'Reference',
    currency: 'Currency',
    from: '2026-11-21',
    to: '2026-11-21',
  };
  const text = 'Day;In;Out;Text;Reference;Currency\n21.11.2026;25,00;;Gift;FT-1;USD\n';
  const file = new TextEncoder().encode(text);
  const upload = client.statements.upload({ file, mapping, account: 'every-member', dry_run: true });
  expect(await upload).toMatchObject({ entries: 1, problems: [] });
});
