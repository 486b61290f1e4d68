import { ContributionService, type CsvMapping } from '../../packages/sdk/src/index.js';
import { addProject } from '../support/catalogue';
import { relayAll } from '../support/feed';
import { startService, type TestService } from '../support/service';
import { statementFile } from '../support/statement-files';
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
  expect([file.state, replayed]).toEqual(['received', false]);
  const copy = new Blob([new Uint8Array(bytes)]);
  const differs = client.statements.upload({ file: copy, direction: 'debit' });
  expect(await errorOf(differs)).toMatchObject({ code: 'statement_options_differ' });
  const again = client.statements.upload({ file: copy });
  expect(await again.withResponse()).toMatchObject({ replayed: true, data: { file_id: file.file_id } });
  const read = await client.statements.waitUntilRead(file.file_id);
  expect(read).toMatchObject({ state: 'read', format: 'camt.053', entries: 2, problems: [] });
  expect((await client.statements.listEntries(file.file_id)).data).toHaveLength(2);
  const [unknown] = (await client.statements.entries.list({ outcome: 'unknown' })).data;
  expect(unknown).toMatchObject({ amount: '1.00', reason: 'no_reference' });
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
  const wrong = { file: Buffer.from('a statement') };
  const checked = client.statements.upload({ ...wrong, dry_run: true });
  expect(await errorOf(checked)).toMatchObject({ code: 'statement_unreadable' });
  const { file_id: fileId } = await client.statements.upload(wrong);
  const failure = client.statements.waitUntilRead(fileId);
  await expect(failure).rejects.toThrow(/^The file is rejected\. .+/);
});

test('a wait for a file ends after its limit, and when it is aborted', async () => {
  const { file_id: fileId } = await client.statements.upload({ file: bytesOf(await createCompleted()) });
  const late = client.statements.waitUntilRead(fileId, {}, { waitMs: 1 });
  expect((await errorOf(late)).name).toBe('DeadlineExceeded');
  const aborted = client.statements.waitUntilRead(fileId, {}, { signal: AbortSignal.abort() });
  expect((await errorOf(aborted)).name).toBe('AbortError');
});

test('a large file is sent compressed, and read as a whole', async () => {
  const sent: [string | null, number][] = [];
  const { apiKey = '', apiSecret = '' } = (await service.addCompany()).test;
  const own = new ContributionService({
    apiKey,
    apiSecret,
    apiUrl: `http://127.0.0.1:${service.port}/company/integration`,
    fetch: async (input, init) => {
      const { body, headers } = init ?? {};
      if (body instanceof Blob || ArrayBuffer.isView(body))
        sent.push([
          new Headers(headers).get('Content-Type'),
          body instanceof Blob ? body.size : body.byteLength,
        ]);
      return fetch(input, init);
    },
  });
  const padding = Buffer.from(`<!-- ${'x'.repeat(5 * 1_048_576)} -->`);
  const bytes = Buffer.concat([bytesOf('NONE'), padding]);
  const { file_id: fileId } = await own.statements.upload({ file: bytes });
  expect(sent).toEqual([['application/gzip', expect.any(Number)]]);
  expect(sent[0]![1]).toBeLessThan(100_000);
  expect(await own.statements.waitUntilRead(fileId)).toMatchObject({ entries: 2, bytes: sent[0]![1] });
  const { data: repeat, replayed } = await own.statements.upload({ file: bytes }).withResponse();
  expect([repeat.file_id, replayed]).toEqual([fileId, true]);
});

test('a month is closed after its entry is decided and its question answered, and is reopened', async () => {
  const id = await createCompleted();
  const form = { from: '2026-10-01', to: '2026-10-30', sequence: 1, openingCents: 0n };
  const lines = [
    { cents: 25_00n, id, reference: 'R-1', date: '2026-10-01' },
    { cents: 1_00n, reference: 'R-2', date: '2026-10-02' },
  ];
  const upload = async (cents: bigint): Promise<string> => {
    const text = statementFile([...lines, { cents, reference: 'R-3', date: '2026-10-05' }], form);
    const { file_id: fileId } = await client.statements.upload({ file: Buffer.from(text) });
    await client.statements.waitUntilRead(fileId);
    return fileId;
  };
  const fileId = await upload(5_00n);
  await upload(6_00n);
  const month = '2026-10';
  const reason = 'Approved';
  expect((await client.reconciliation.canClose({ month })).can_close).toBe(false);
  const early = client.reconciliation.months.close(month, { reason });
  expect(await errorOf(early)).toMatchObject({ code: 'decision_not_applicable' });
  const [question] = (await client.reconciliation.listQuestions()).data;
  const { account_id: accountId, from, choices, versions: among } = question!;
  const { version } = choices.find(({ statements }) => statements[0]?.file_id === fileId)!;
  const { accounts, entries } = client.statements;
  const answer = { kind: 'version', version, among, reason } as const;
  expect(await accounts.answer(accountId, from, answer)).toEqual({ is_new: true });
  expect((await accounts.listAnswers(accountId, from)).data).toMatchObject([{ kind: 'version', version }]);
  await client.statements.waitUntilRead(fileId);
  const unexplained = await entries.list().autoPagingToArray({ limit: 10 });
  expect(unexplained.map(({ amount }) => amount)).toEqual(['1.00', '5.00']);
  const [first, second] = unexplained.map(({ entry_id: each }) => each ?? '');
  const ignored = await entries.decide(first!, { action: 'ignore', reason: 'Interest' });
  expect(ignored).toMatchObject({ is_new: true, entry: { entry_id: first } });
  const decisions = [{ entry_id: second!, action: 'ignore' as const, reason: 'Rent' }];
  expect((await entries.decideMany({ decisions })).data).toMatchObject([{ outcome: 'decided' }]);
  expect((await entries.listDecisions(second!)).data).toMatchObject([{ action: 'ignore' }]);
  await client.statements.waitUntilRead(fileId);
  expect(await entries.retrieve(second!)).toMatchObject({ entry_id: second, is_decided: true });
  const range = { from: '2026-10-01', to: '2026-11-01' };
  const {
    terms,
    opening_balance: opening,
    closing_balance: closing,
  } = await accounts.retrieveReconciliation(accountId, range);
  const amounts = Object.fromEntries(terms.map(({ term, amount }) => [term, amount]));
  expect([opening, closing, amounts]).toMatchObject(['0.00', '31.00', { matched: '25.00', ignored: '6.00' }]);
  const listed = await accounts.listEntries(accountId, { term: 'ignored', ...range });
  expect(listed.data.map(({ term_amount: amount }) => amount).sort()).toEqual(['1.00', '5.00']);
  const closed = await client.reconciliation.months.close(month, { reason });
  expect(closed).toMatchObject({ is_closed: true, changes: [{ kind: 'closed', reason }] });
  const undo = entries.decide(first!, { action: 'undo', reason });
  expect(await errorOf(undo)).toMatchObject({ code: 'month_closed' });
  expect((await client.reconciliation.months.reopen(month, { reason })).is_closed).toBe(false);
  expect((await client.reconciliation.months.retrieve(month)).changes).toHaveLength(2);
  const rule = { code: 'CHRG', direction: 'debit', outcome: 'charge', reason } as const;
  expect((await accounts.setRule(accountId, rule)).data).toMatchObject([{ code: 'CHRG' }]);
  expect((await accounts.listRules(accountId)).data).toHaveLength(1);
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
  // Each of these is a member of the type. The service refuses members that it does not know.
  const mapping: Required<Omit<CsvMapping, 'amount' | 'inverted' | 'direction' | 'currency_code'>> = {
    date: 'Day',
    date_format: 'DD.MM.YYYY',
    credit: 'In',
    debit: 'Out',
    negative: ['debit'],
    status: { column: 'State', booked: ['done'] },
    fee: { column: 'Fee', is_deducted: true, is_negative: true },
    decimal: ',',
    delimiter: ';',
    texts: ['Text'],
    split_texts: ['Text', 'More'],
    bank_reference: 'Reference',
    code: 'Code',
    currency: 'Currency',
    ignore: ['Status of the shop'],
    header_line: 1,
    from: '2026-11-21',
    to: '2026-11-21',
    opening_balance: '0.00',
    closing_balance: '25.00',
  };
  const others: CsvMapping = {
    ...{ date: 1, amount: 2, texts: [3], header_line: 0, inverted: false, currency_code: 'USD' },
    direction: { column: 4, credit: ['C'], debit: ['D'], signed: false },
  };
  const files: [string, CsvMapping][] = [
    [
      'Day;In;Out;State;Fee;Text;More;Reference;Code;Currency;Status of the shop\n21.11.2026;25,00;;done;0,00;Gift;;FT-1;X;USD;open\n',
      mapping,
    ],
    ['2026-11-21,25.00,Gift,C\n', others],
  ];
  for (const [text, given] of files) {
    const file = new TextEncoder().encode(text);
    const upload = client.statements.upload({ file, mapping: given, account: 'every-member', dry_run: true });
    expect(await upload).toMatchObject({ entries: 1, problems: [], reading: { csv: { questions: [] } } });
  }
});
