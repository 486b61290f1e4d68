import { ContributionService } from '../../packages/sdk/src/index.js';
import { readSdkDocument } from '../../src/features/documentation/sdk-reference/sdk-document';
import { createSdkNames } from '../../src/features/documentation/sdk-reference/sdk-names';
import { type ApiOperation, exampleResponseOf, operationsOf } from '../support/api-document';
import { order, testPair, user } from './fake-service';

/**
 * The SDK reaches every operation of the document. A new operation without a method fails here.
 * A program calls each method, and the request that arrives must be that of the operation.
 */
const id = 'K7Q20CR5M3V9XHG';
const uuid = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
const evidence = { amount: '25.00', bank_reference: 'FT-1' };
const november = { from: '2026-11-01', to: '2026-12-01' };
const url = 'https://app.example.com/webhooks';

/** The calls of the operations that are more than reads by the ids in their paths. */
const ownCalls: Record<string, (client: ContributionService) => PromiseLike<unknown>> = {
  recordStoryView: (client) => client.stories.recordView(5, { user_hash: user }),
  createContribution: (client) => client.contributions.create(order, { idempotencyKey: 'order-1' }),
  completeContribution: (client) => client.bank.complete(id, evidence),
  completeContributions: (client) =>
    client.bank.completeMany({ completions: [{ transaction_id: id, ...evidence }] }),
  summarizeContributions: (client) => client.contributions.summarize(november),
  recordReturn: (client) => client.bank.recordReturn(id, { kind: 'return', ...evidence }),
  undoReturn: (client) => client.bank.undoReturn(id, uuid, { reason: 'paid_again', ...evidence }),
  correctContribution: (client) => client.bank.correct(id, { reason: 'Wrong contribution' }),
  createWebhookEndpoint: (client) => client.webhookEndpoints.create({ url }),
  changeWebhookEndpoint: (client) => client.webhookEndpoints.update(uuid, { url }),
  deleteWebhookEndpoint: (client) => client.webhookEndpoints.delete(uuid),
  rotateWebhookSecret: (client) => client.webhookEndpoints.rotateSecret(uuid),
  enableWebhookEndpoint: (client) => client.webhookEndpoints.enable(uuid),
  disableWebhookEndpoint: (client) => client.webhookEndpoints.disable(uuid),
  pingWebhookEndpoint: (client) => client.webhookEndpoints.ping(uuid),
  resendWebhookEvent: (client) => client.webhookEndpoints.resend(uuid, uuid),
  createWebhookReplay: (client) => client.webhookEndpoints.previewReplay(uuid, { from_sequence: 1 }),
  cancelWebhookReplay: (client) => client.webhookEndpoints.cancelReplay(uuid, uuid),
  importStatement: (client) => client.statements.upload({ file: new Uint8Array([1]) }),
  importSettlements: (client) =>
    client.statements.importSettlements({
      lines: [{ reference: 'FT-1', transaction_id: id, amount: '25.00' }],
    }),
  voidStatement: (client) => client.statements.void(uuid, { reason: 'Wrong account' }),
  decideEntry: (client) => client.statements.entries.decide(uuid, { action: 'ignore', reason: 'Rent' }),
  decideEntries: (client) =>
    client.statements.entries.decideMany({
      decisions: [{ entry_id: uuid, action: 'ignore', reason: 'Rent' }],
    }),
  listStatementAccountDays: (client) => client.statements.accounts.listDays(uuid, november),
  listEntriesOfTerm: (client) =>
    client.statements.accounts.listEntries(uuid, { term: 'charges', ...november }),
  getReconciliationStatement: (client) => client.statements.accounts.retrieveReconciliation(uuid, november),
  setStatementAccount: (client) => client.statements.accounts.update(uuid, { complete_coverage: true }),
  answerDayQuestion: (client) =>
    client.statements.accounts.answer(uuid, '2026-11-20', { kind: 'undo', reason: 'A mistake' }),
  setAccountRule: (client) =>
    client.statements.accounts.setRule(uuid, {
      ...{ code: 'CHRG', direction: 'debit', outcome: 'charge', reason: 'Fee' },
    }),
  addAccountNumber: (client) =>
    client.statements.accounts.addNumber(uuid, { other_account_id: uuid, reason: 'One account' }),
  removeAccountNumber: (client) => client.statements.accounts.removeNumber(uuid, uuid),
  canCloseMonth: (client) => client.reconciliation.canClose({ month: '2026-11' }),
  closeMonth: (client) => client.reconciliation.months.close('2026-11', { reason: 'Approved' }),
  reopenMonth: (client) => client.reconciliation.months.reopen('2026-11', { reason: 'A correction' }),
  setSandboxSettings: (client) => client.sandbox.replaceSettings({ bank: 'none' }),
  settleSandboxContribution: (client) => client.sandbox.settle(id),
  resetSandbox: (client) => client.sandbox.reset(),
  armSandboxFault: (client) => client.sandbox.faults.arm({ operation: 'createContribution', kind: '429' }),
  disarmSandboxFaults: (client) => client.sandbox.faults.disarm(),
};

const { methodsOf } = createSdkNames(readSdkDocument());
const ids: Record<string, number | string> = {
  ...{ project_id: 1, story_id: 1, transaction_id: id },
  ...{ day: '2026-11-20', month: '2026-11' },
};

/** The method that the SDK's reference names for a read, with the ids in its path. */
async function callRead(client: ContributionService, { operationId, path }: ApiOperation): Promise<void> {
  const method = methodsOf(operationId).find(({ type }) => /^(Call|List)</.test(type));
  if (!method)
    throw new Error(`The SDK has no method for ${operationId}. Add one, and run npm run generate.`);
  const [, ...names] = method.label.split('.');
  const given = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ids[name] ?? uuid);
  type Resource = Record<string, (...given: unknown[]) => PromiseLike<unknown>>;
  const resource = names.slice(0, -1).reduce<unknown>((part, name) => (part as Resource)[name], client);
  await (resource as Resource)[names.at(-1)!]!(...given);
}

/** Two other paths of the same create, and the probes of a load balancer. */
const withoutMethod = ['makeOrder', 'createPayment', 'getLiveness', 'getReadiness'];

const operations = operationsOf().filter(({ operationId }) => !withoutMethod.includes(operationId));

test('only a read by ids has no call of its own, and every call is of an operation', () => {
  const others = operations.filter(({ operationId }) => !Object.hasOwn(ownCalls, operationId));
  expect(others.filter(({ method }) => method !== 'GET')).toEqual([]);
  const known = operations.map(({ operationId }) => operationId);
  expect(Object.keys(ownCalls).filter((operationId) => !known.includes(operationId))).toEqual([]);
});

test.each(operations)('$operationId is what its method sends', async (operation) => {
  const { operationId } = operation;
  const sent: (string | undefined)[] = [];
  const respond = (input: string, { method = '' }: RequestInit): Promise<Response> => {
    const { status, text, operationId: name } = exampleResponseOf(method, input);
    sent.push(name);
    return Promise.resolve(new Response(status === 204 ? null : text, { status }));
  };
  const client = new ContributionService({
    ...testPair,
    apiUrl: 'https://api.example.org/company/integration',
    expectEnvironment: 'test',
    maxAttempts: 1,
    fetch: respond as typeof fetch,
  });
  await (ownCalls[operationId]?.(client) ?? callRead(client, operation));
  expect(sent).toEqual([operationId]);
});
