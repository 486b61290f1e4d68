import { ContributionService } from '../../packages/sdk/src/index.js';
import { exampleResponseOf, operationsOf } from '../support/api-document';
import { order, testPair, user } from './fake-service';

/**
 * The SDK reaches every operation of the document. A new operation without a method fails here.
 * A program calls each method, and the request that arrives must be that of the operation.
 */
const id = 'K7Q20CR5M3V9XHG';
const uuid = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
const evidence = { amount: '25.00', bank_reference: 'FT-1' };
const url = 'https://app.example.com/webhooks';

const calls: Record<string, (client: ContributionService) => PromiseLike<unknown>> = {
  listProjects: (client) => client.projects.list(),
  getProject: (client) => client.projects.retrieve(1),
  getProjectsAndStories: (client) => client.projectsStories.list({ user_hash: user }),
  listStories: (client) => client.stories.list(1),
  recordStoryView: (client) => client.stories.recordView(5, { user_hash: user }),
  createContribution: (client) => client.contributions.create(order, { idempotencyKey: 'order-1' }),
  completeContribution: (client) => client.bank.complete(id, evidence),
  completeContributions: (client) =>
    client.bank.completeMany({ completions: [{ transaction_id: id, ...evidence }] }),
  getContribution: (client) => client.contributions.retrieve(id),
  listContributions: (client) => client.contributions.list(),
  summarizeContributions: (client) =>
    client.contributions.summarize({ from: '2026-11-01', to: '2026-12-01' }),
  getContributionMoney: (client) => client.reconciliation.retrieve(id),
  recordReturn: (client) => client.bank.recordReturn(id, { kind: 'return', ...evidence }),
  undoReturn: (client) => client.bank.undoReturn(id, uuid, { reason: 'paid_again', ...evidence }),
  correctContribution: (client) => client.bank.correct(id, { reason: 'Wrong contribution' }),
  listEvents: (client) => client.events.list(),
  getEvent: (client) => client.events.retrieve(uuid),
  listEventAttempts: (client) => client.events.listAttempts(uuid),
  createWebhookEndpoint: (client) => client.webhookEndpoints.create({ url }),
  listWebhookEndpoints: (client) => client.webhookEndpoints.list(),
  getWebhookEndpoint: (client) => client.webhookEndpoints.retrieve(uuid),
  changeWebhookEndpoint: (client) => client.webhookEndpoints.update(uuid, { url }),
  deleteWebhookEndpoint: (client) => client.webhookEndpoints.delete(uuid),
  rotateWebhookSecret: (client) => client.webhookEndpoints.rotateSecret(uuid),
  enableWebhookEndpoint: (client) => client.webhookEndpoints.enable(uuid),
  disableWebhookEndpoint: (client) => client.webhookEndpoints.disable(uuid),
  pingWebhookEndpoint: (client) => client.webhookEndpoints.ping(uuid),
  resendWebhookEvent: (client) => client.webhookEndpoints.resend(uuid, uuid),
  listWebhookAttempts: (client) => client.webhookEndpoints.listAttempts(uuid, { limit: 1 }),
  createWebhookReplay: (client) => client.webhookEndpoints.previewReplay(uuid, { from_sequence: 1 }),
  listWebhookReplays: (client) => client.webhookEndpoints.listReplays(uuid),
  getWebhookReplay: (client) => client.webhookEndpoints.retrieveReplay(uuid, uuid),
  cancelWebhookReplay: (client) => client.webhookEndpoints.cancelReplay(uuid, uuid),
  listLinks: (client) => client.links.list(),
  getMe: (client) => client.me.retrieve(),
  importStatement: (client) => client.statements.upload({ file: new Uint8Array([1]) }),
  importSettlements: (client) =>
    client.statements.importSettlements({
      lines: [{ reference: 'FT-1', transaction_id: id, amount: '25.00' }],
    }),
  decideEntry: (client) => client.statements.decide(uuid, { action: 'ignore', reason: 'Rent' }),
  listDecisions: (client) => client.statements.listDecisions(uuid),
  listStatements: (client) => client.statements.list(),
  getStatement: (client) => client.statements.retrieve(uuid),
  listStatementEntries: (client) => client.statements.listEntries(uuid),
  voidStatement: (client) => client.statements.void(uuid, { reason: 'Wrong account' }),
  listStatementAccounts: (client) => client.statements.accounts.list(),
  setStatementAccount: (client) => client.statements.accounts.update(uuid, { complete_coverage: true }),
  listReconciliation: (client) => client.reconciliation.list({ open: true }),
  getReconciliationSummary: (client) => client.reconciliation.summarize(),
  getSandboxSettings: (client) => client.sandbox.retrieveSettings(),
  setSandboxSettings: (client) => client.sandbox.replaceSettings({ bank: 'none' }),
  settleSandboxContribution: (client) => client.sandbox.settle(id),
  resetSandbox: (client) => client.sandbox.reset(),
  listSandboxRequests: (client) => client.sandbox.requests.list(),
  armSandboxFault: (client) => client.sandbox.faults.arm({ operation: 'createContribution', kind: '429' }),
  listSandboxFaults: (client) => client.sandbox.faults.list(),
  disarmSandboxFaults: (client) => client.sandbox.faults.disarm(),
};

/** Two other paths of the same create, and the probes of a load balancer. */
const withoutMethod = ['makeOrder', 'createPayment', 'getLiveness', 'getReadiness'];

test('every operation of the document has a method, and no other is called', () => {
  const documented = operationsOf().map(({ operationId }) => operationId);
  expect([...Object.keys(calls), ...withoutMethod].sort()).toEqual(documented.sort());
});

test.each(Object.entries(calls))('%s is what its method sends', async (operationId, call) => {
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
  await call(client);
  expect(sent).toEqual([operationId]);
});
