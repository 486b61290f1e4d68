/** The values with which the samples of an operation call the SDK. */
export interface SdkRequest {
  /** The identifiers in the path, in their order. */
  ids: readonly string[];
  /** The required parameters of the query. */
  query: Readonly<Record<string, string>>;
  body: unknown;
  key: string | undefined;
}

/** A literal with the members on lines of their own. */
export const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replaceAll('"', "'");

const quoted = (id: string): string => (/^\d+$/.test(id) ? id : `'${id}'`);

/** The code that calls a method with the identifiers, followed by these arguments. */
const call = (method: string, { ids }: SdkRequest, ...more: string[]): string =>
  `client.${method}(${[...ids.map(quoted), ...more].join(', ')})`;

type Render = (request: SdkRequest) => string;

const prints =
  (method: string): Render =>
  (request) =>
    `console.log(await ${call(method, request)});`;
const printsWithBody =
  (method: string): Render =>
  (request) =>
    `console.log(await ${call(method, request, literalOf(request.body))});`;
const finishes =
  (method: string): Render =>
  (request) =>
    `await ${call(method, request)};`;
const printsRows =
  (method: string, row: string): Render =>
  (request) =>
    `for await (const ${row} of ${call(method, request)}) console.log(${row});`;

const completion: Render = ({ ids, body }) => {
  const { status, ...evidence } = body as { status: string };
  return `// Sends status: '${status}' with the evidence.\nconsole.log(await client.bank.complete(${ids.map(quoted).join()}, ${literalOf(evidence)}));`;
};

/** The SDK call for each operation. The SDK has no method for the other two paths of a create. */
const samples: Partial<Record<string, Render>> = {
  listProjects: printsRows('projects.list', 'project'),
  getProject: prints('projects.retrieve'),
  getProjectsAndStories: prints('projectsStories.list'),
  listStories: printsRows('stories.list', 'story'),
  recordStoryView: (request) => `await ${call('stories.recordView', request, literalOf(request.body))};`,
  createContribution: (request) =>
    `console.log(await ${call('contributions.create', request, literalOf(request.body), `{ idempotencyKey: '${request.key ?? ''}' }`)});`,
  completeContribution: completion,
  getContribution: prints('contributions.retrieve'),
  completeContributions: ({ body }) =>
    `const completions = [${literalOf(body)}];\nfor await (const outcome of client.bank.completeMany({ completions })) console.log(outcome);`,
  listContributions: printsRows('contributions.list', 'contribution'),
  summarizeContributions: (request) =>
    `console.log(await ${call('contributions.summarize', request, literalOf(request.query))});`,
  recordReturn: printsWithBody('bank.recordReturn'),
  undoReturn: printsWithBody('bank.undoReturn'),
  correctContribution: printsWithBody('bank.correct'),
  listEvents: prints('events.list'),
  getEvent: prints('events.retrieve'),
  listEventAttempts: prints('events.listAttempts'),
  createWebhookEndpoint: printsWithBody('webhookEndpoints.create'),
  listWebhookEndpoints: prints('webhookEndpoints.list'),
  getWebhookEndpoint: prints('webhookEndpoints.retrieve'),
  changeWebhookEndpoint: printsWithBody('webhookEndpoints.update'),
  deleteWebhookEndpoint: finishes('webhookEndpoints.delete'),
  rotateWebhookSecret: printsWithBody('webhookEndpoints.rotateSecret'),
  enableWebhookEndpoint: prints('webhookEndpoints.enable'),
  disableWebhookEndpoint: prints('webhookEndpoints.disable'),
  pingWebhookEndpoint: prints('webhookEndpoints.ping'),
  resendWebhookEvent: prints('webhookEndpoints.resend'),
  listWebhookAttempts: prints('webhookEndpoints.listAttempts'),
  createWebhookReplay: printsWithBody('webhookEndpoints.createReplay'),
  listWebhookReplays: prints('webhookEndpoints.listReplays'),
  getWebhookReplay: prints('webhookEndpoints.retrieveReplay'),
  cancelWebhookReplay: prints('webhookEndpoints.cancelReplay'),
  listLinks: printsRows('links.list', 'link'),
  getMe: prints('me.retrieve'),
  importStatement: () =>
    `import { readFile } from 'node:fs/promises';\n\nconsole.log(await client.statements.upload({ file: await readFile('statement.xml') }));`,
  importSettlements: ({ body }) =>
    `console.log(await client.statements.importSettlements({ lines: [${literalOf(body)}] }));`,
  decideEntry: printsWithBody('statements.decide'),
  listDecisions: prints('statements.listDecisions'),
  listStatements: printsRows('statements.list', 'file'),
  getStatement: prints('statements.retrieve'),
  listStatementEntries: printsRows('statements.listEntries', 'entry'),
  voidStatement: printsWithBody('statements.void'),
  listStatementAccounts: printsRows('statements.accounts.list', 'account'),
  setStatementAccount: printsWithBody('statements.accounts.update'),
  listReconciliation: printsRows('reconciliation.list', 'row'),
  getReconciliationSummary: prints('reconciliation.summarize'),
  getContributionMoney: prints('reconciliation.retrieve'),
  getSandboxSettings: prints('sandbox.retrieveSettings'),
  setSandboxSettings: printsWithBody('sandbox.replaceSettings'),
  settleSandboxContribution: printsWithBody('sandbox.settle'),
  resetSandbox: printsWithBody('sandbox.reset'),
  listSandboxRequests: prints('sandbox.requests.list'),
  armSandboxFault: printsWithBody('sandbox.faults.arm'),
  listSandboxFaults: prints('sandbox.faults.list'),
  disarmSandboxFaults: finishes('sandbox.faults.disarm'),
};

/** The operation with the SDK, or undefined if the SDK does not have it. */
export const sdkSampleOf = (operationId: string, request: SdkRequest): string | undefined =>
  samples[operationId]?.(request);
