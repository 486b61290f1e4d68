import type { EndpointContract } from '../../../src/http/contract';

/**
 * The access rules as a table. It is written from the rules (docs/guides, decisions 1, 2, 7 and 9),
 * not from the code. test/api/tenancy-matrix.test.ts tests every cell.
 */
export const actions = [
  'reads the catalogue',
  'notes a view',
  'completes',
  'reads one',
  'lists',
  'lists links',
  'creates',
  'repeats a create',
  'reads its settings',
  'reads its requests',
  'chooses a linked bank',
  'settles',
  'arms faults',
  'removes faults',
  'returns',
  'corrects',
  'resets wrongly',
  'lists events',
  'reads an event',
  'adds up',
  'lists endpoints',
  'creates an endpoint wrongly',
  'uses an endpoint',
  'deletes an endpoint',
  'uses deliveries',
  'uploads a statement',
  'lists settlements',
  'lists its statements',
  'reads a statement',
  'voids a statement',
  'reads its money',
  'uses an account',
  'reads a replay',
  'uses an entry',
  'asks who it is',
  'answers nothing',
  'changes a future month',
  'decides on entries',
  'takes a number back',
] as const;
export type Action = (typeof actions)[number];

/**
 * The effect of each operation. A read below a contribution is for those who may read it. Any other
 * operation that is missing here fails the test.
 */
const deedsOf: Readonly<Record<string, readonly Action[]>> = {
  listProjects: ['reads the catalogue'],
  getProject: ['reads the catalogue'],
  getProjectsAndStories: ['reads the catalogue'],
  listStories: ['reads the catalogue'],
  recordStoryView: ['notes a view'],
  completeContribution: ['completes'],
  completeContributions: ['completes'],
  listContributions: ['lists'],
  listLinks: ['lists links'],
  getMe: ['asks who it is'],
  createContribution: ['creates', 'repeats a create'],
  makeOrder: ['creates', 'repeats a create'],
  createPayment: ['creates', 'repeats a create'],
  getSandboxSettings: ['reads its settings'],
  listSandboxRequests: ['reads its requests'],
  setSandboxSettings: ['chooses a linked bank'],
  settleSandboxContribution: ['settles'],
  armSandboxFault: ['arms faults'],
  listSandboxFaults: ['reads its settings'],
  disarmSandboxFaults: ['removes faults'],
  recordReturn: ['returns'],
  undoReturn: ['returns'],
  correctContribution: ['corrects'],
  resetSandbox: ['resets wrongly'],
  listEvents: ['lists events'],
  getEvent: ['reads an event'],
  listEventAttempts: ['reads an event'],
  summarizeContributions: ['adds up'],
  listWebhookEndpoints: ['lists endpoints'],
  createWebhookEndpoint: ['creates an endpoint wrongly'],
  getWebhookEndpoint: ['uses an endpoint'],
  changeWebhookEndpoint: ['uses an endpoint'],
  rotateWebhookSecret: ['uses an endpoint'],
  enableWebhookEndpoint: ['uses an endpoint'],
  disableWebhookEndpoint: ['uses an endpoint'],
  deleteWebhookEndpoint: ['deletes an endpoint'],
  pingWebhookEndpoint: ['uses deliveries'],
  resendWebhookEvent: ['uses deliveries'],
  listWebhookAttempts: ['uses deliveries'],
  createWebhookReplay: ['uses deliveries'],
  listWebhookReplays: ['uses deliveries'],
  getWebhookReplay: ['reads a replay'],
  cancelWebhookReplay: ['reads a replay'],
  importStatement: ['uploads a statement'],
  importSettlements: ['lists settlements'],
  listStatements: ['lists its statements'],
  listReconciliation: ['lists its statements'],
  getReconciliationSummary: ['lists its statements'],
  getStatement: ['reads a statement'],
  listStatementEntries: ['reads a statement'],
  voidStatement: ['voids a statement'],
  getContributionMoney: ['reads its money'],
  listStatementAccounts: ['lists its statements'],
  setStatementAccount: ['uses an account'],
  listStatementAccountDays: ['uses an account'],
  decideEntry: ['uses an entry'],
  listDecisions: ['uses an entry'],
  getStatementEntry: ['uses an entry'],
  decideEntries: ['decides on entries'],
  listEntriesToExplain: ['lists its statements'],
  listStatementQuestions: ['lists its statements'],
  canCloseMonth: ['lists its statements'],
  getMonth: ['lists its statements'],
  closeMonth: ['changes a future month'],
  reopenMonth: ['changes a future month'],
  listEntriesOfTerm: ['uses an account'],
  getReconciliationStatement: ['uses an account'],
  listAccountRules: ['uses an account'],
  setAccountRule: ['uses an account'],
  listDayAnswers: ['uses an account'],
  answerDayQuestion: ['answers nothing'],
  addAccountNumber: ['answers nothing'],
  removeAccountNumber: ['takes a number back'],
};

/** A status, with the code if it is an error: "404 transaction_not_found". */
export type Expectation = string;

const foreign = '404 transaction_not_found';
const reserved = '403 completion_reserved_for_bank';
const another = '409 completed_by_another';
const noScope = '403 scope_missing';
const suspended = '403 company_suspended';
const testOnly = '403 sandbox_only';
const conflict = '409 sandbox_conflict';
const notTheirs = '403 return_reserved';
const otherParty = '403 correction_reserved';
const wrongSeed = '400 invalid_request';
const noEvent = '404 event_not_found';
const wrongUrl = '400 invalid_request';
const noTarget = '404 webhook_endpoint_not_found';
const noReplay = '404 webhook_replay_not_found';
const noFile = '404 statement_not_found';
const noAccount = '404 statement_account_not_found';
const noEntry = '404 statement_entry_not_found';
const noEffect = '409 decision_not_applicable';

/**
 * "its …" and "the …" mean the transactions, users and keys of the company in that line. Everybody
 * may read the catalogue, and may create and list their own contributions. A repeat is a create
 * with an idempotency key that the company has used. For another company, that key is new.
 * Returns and corrections are those of completed transactions. A reset would remove the
 * transactions, so this request has an invalid body. test/api/sandbox-reset.test.ts tests
 * successful resets.
 * An event is the first of its company. A new endpoint would belong to no world, so this request
 * has an invalid body. test/api/webhook-endpoints.test.ts tests successful ones.
 * A statement belongs to the company that uploaded it, and a bank has its own.
 * No day has an answer to undo, and a future month cannot be closed or reopened. Decisions on many
 * entries have an outcome for each: that of another company's entry is `no_line`.
 * A bank that was linked by mistake keeps the events that its feed had before.
 */
// prettier-ignore
const table = {
  // eslint-disable-next-line max-len -- the columns of the table
  //                              catalogue view      completes  one       lists     links     creates     repeats   settings   requests   linked     settles    arms       removes    returns    corrects     resets      events    event     totals endpoints  creates   uses      deletes  deliveries     uploads lists lists files  file   voids     money     account   replay    entry     me  answers   months    decides  number
  'the owner':                     ['200',    '204',    '200',     '200',    '200',    '200',    '201',      '201',    '200',     '200',     conflict,  conflict,  '200',     '204',     '201',      '201',       wrongSeed, '200',    '200', '200', '200',       wrongUrl, '200',    '204',    '200',  '202', '200', '200', '200', '200', '200', '200', '200', '200', '200', noEffect, noEffect, '200', '204'],
  'the owner, older pair of two':  ['200',    '204',    '200',     '200',    '200',    '200',    '201',      '201',    '200',     '200',     conflict,  conflict,  '200',     '204',     '201',      '201',       wrongSeed, '200',    '200', '200', '200',       wrongUrl, '200',    '204',    '200',  '202', '200', '200', '200', '200', '200', '200', '200', '200', '200', noEffect, noEffect, '200', '204'],
  'the owner, without the scope':  [noScope,  noScope,  noScope,   noScope,  noScope,  noScope,  noScope,    noScope,  noScope,   noScope,   noScope,   noScope,  noScope,   noScope,   noScope,    noScope,     noScope, noScope,  noScope, noScope, noScope,     noScope,  noScope,  noScope, noScope,  noScope, noScope, noScope, noScope, noScope, noScope, noScope, noScope, noScope, '200', noScope, noScope, noScope, noScope],
  'the owner, suspended':          ['200',    '204',    '200',     '200',    '200',    '200',    suspended,  '201',    '200',     '200',     conflict,  conflict,  '200',     '204',     '201',      '201',       wrongSeed, '200',    '200', '200', '200',       wrongUrl, '200',    '204',    '200',  '202', '200', '200', '200', '200', '200', '200', '200', '200', '200', noEffect, noEffect, '200', '204'],
  'the owner, other environment':  ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    testOnly,  testOnly,  testOnly,  testOnly,  testOnly,  testOnly,  foreign,    foreign,     testOnly, '200',    noEvent, '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'another company':               ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    '200',     '200',     conflict,  foreign,   '200',     '204',     foreign,    foreign,     wrongSeed, '200',    noEvent, '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  "another company's bank":        ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    '200',     '200',     conflict,  foreign,   '200',     '204',     foreign,    foreign,     wrongSeed, '200',    noEvent, '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'the owner with a bank':         ['200',    '204',    reserved,  '200',    '200',    '200',    '201',      '201',    '200',     '200',     '200',     conflict,  '200',     '204',     notTheirs,  otherParty,  wrongSeed, '200',    '200', '200', '200',       wrongUrl, '200',    '204',    '200',  '202', '200', '200', '200', '200', '200', '200', '200', '200', '200', noEffect, noEffect, '200', '204'],
  'the owner, simulated bank':     ['200',    '204',    reserved,  '200',    '200',    '200',    '201',      '201',    '200',     '200',     conflict,  '200',     '200',     '204',     '201',      '201',       wrongSeed, '200',    '200', '200', '200',       wrongUrl, '200',    '204',    '200',  '202', '200', '200', '200', '200', '200', '200', '200', '200', '200', noEffect, noEffect, '200', '204'],
  'its bank':                      ['200',    '204',    '200',     '200',    '200',    '200',    '201',      '201',    '200',     '200',     conflict,  conflict,  '200',     '204',     '201',      '201',       wrongSeed, '200',    '200', '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, '200', noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'its bank, other environment':   ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    testOnly,  testOnly,  testOnly,  testOnly,  testOnly,  testOnly,  foreign,    foreign,     testOnly, '200',    noEvent, '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'its bank, unlinked since':      ['200',    '204',    '200',     '200',    '200',    '200',    '201',      '201',    '200',     '200',     conflict,  conflict,  '200',     '204',     '201',      '201',       wrongSeed, '200',    '200', '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, '200', noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'its bank, unlinked before':     ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    '200',     '200',     conflict,  foreign,   '200',     '204',     foreign,    foreign,     wrongSeed, '200',    noEvent, '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'its bank, linked by mistake':   ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    '200',     '200',     conflict,  foreign,   '200',     '204',     foreign,    foreign,     wrongSeed, '200',    '200',   '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'its bank, another completed':   ['200',    '204',    another,   '200',    '200',    '200',    '201',      '201',    '200',     '200',     conflict,  conflict,  '200',     '204',     notTheirs,  otherParty,  wrongSeed, '200',    '200', '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, '200', noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
  'its bank, linked afterwards':   ['200',    '204',    foreign,   foreign,  '200',    '200',    '201',      '201',    '200',     '200',     conflict,  foreign,   '200',     '204',     foreign,    foreign,     wrongSeed, '200',    noEvent, '200', '200',       wrongUrl, noTarget, noTarget, noTarget,  '202', '200', '200', noFile, noFile, foreign, noAccount, noReplay, noEntry, '200', noAccount, noEffect, '200', noAccount],
} as const satisfies Record<string, readonly Expectation[]>;

const invalid = '401 credentials_invalid';
const malformed = '401 credentials_malformed';

/** Callers with an invalid key pair get the same error from every operation. */
const refused = {
  'a revoked pair': invalid,
  'an expired pair': invalid,
  'a pair that was rotated out': invalid,
  'a pair that was never issued': invalid,
  'the key of one pair, the secret of the other': invalid,
  "the owner's key, a stranger's secret": invalid,
  "a stranger's key, the owner's secret": invalid,
  'the test key, the production secret': malformed,
  'a key alone': malformed,
  'a secret alone': malformed,
  'no pair': malformed,
} as const satisfies Record<string, Expectation>;

export type CallerName = keyof typeof table | keyof typeof refused;
export const callerNames = [...Object.keys(table), ...Object.keys(refused)] as CallerName[];

/** Callers whose pair is invalid, so that no operation sees the request. */
export const refusedCallers: readonly CallerName[] = Object.keys(refused) as CallerName[];

/** @throws Error for an operation that is missing in the table */
export function actionsOfOperation({
  operationId,
  method,
  path,
}: Pick<EndpointContract, 'operationId' | 'method' | 'path'>): readonly Action[] {
  const isBelowContribution = method === 'get' && path.includes('/contributions/{transaction_id}');
  const found = deedsOf[operationId] ?? (isBelowContribution ? (['reads one'] as const) : undefined);
  if (found) return found;
  throw new Error(`${operationId} is not in the rule table: add it to test/support/tenancy/rules.ts`);
}

export function expectationOf(caller: CallerName, action: Action): Expectation {
  if (caller in refused) return refused[caller as keyof typeof refused];
  return table[caller as keyof typeof table][actions.indexOf(action)] ?? 'no rule';
}
