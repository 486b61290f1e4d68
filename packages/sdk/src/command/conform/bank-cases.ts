import type { Contribution } from '../../generated/api.js';
import {
  type Case,
  type Evidence,
  failed,
  notReached,
  ofOperation,
  passed,
  type Stage,
  type Step,
  type Task,
  type Verdict,
  warning,
} from './case.js';
import type { Received, Treatment } from './proxy.js';
import { changeJson, firewall403, killed, problem, responseLost } from './treatments.js';
import { windowCases } from './window-cases.js';

type Transfer = Extract<Task, { task: 'complete' }>;

const amount = '25.00';

/** The last day of the previous month. */
function lastDay(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString().slice(0, 10);
}

/** A transfer for a new pending contribution. */
async function transferOf({ client, projectId, id, newUser }: Stage, name: string): Promise<Transfer> {
  const { transaction_id: transactionId } = await client.contributions.create(
    { project_id: projectId, amount, user_hash: newUser() },
    { idempotencyKey: `${id}-${name}` },
  );
  return {
    task: 'complete',
    transaction_id: transactionId,
    amount,
    bank_reference: `FT-${name}`,
    value_date: lastDay(),
  };
}

const inFirst =
  (treatment: Treatment) =>
  ({ operation, nth }: Received): Treatment | undefined =>
    operation === 'complete' && nth === 1 ? treatment : undefined;

/** The requests of an hour with `Retry-After: 300`. The kit shortens each wait to a second. */
const frozenRequests = 12;

/** An hour in which the bank is frozen. It ends when the program is started for the third time. */
const frozenForAnHour = ({ operation, nth, step }: Received): Treatment | undefined =>
  operation === 'complete' && nth <= frozenRequests && step < 3
    ? problem(503, 'company_frozen', { retryable: true, retryAfter: 1 })
    : undefined;

interface CompleteCase {
  name: string;
  title: string;
  guide?: string;
  treat?: (request: Received) => Treatment | undefined;
  steps?: (transfer: Transfer, stage: Stage) => Step[];
  /** The status that the contribution must have at the end. */
  statusAtEnd: 'completed' | 'pending';
  judge: (evidence: Evidence, contribution: Contribution, transfer: Transfer) => Verdict;
  mayStaySilent?: boolean;
}

function completeCase(options: CompleteCase): Case {
  const { name, title, guide = 'bank#retrying-a-completion', treat, statusAtEnd, judge } = options;
  const { steps = (task: Transfer): Step[] => [{ task }], mayStaySilent = false } = options;
  return {
    name,
    title,
    guide,
    async play(stage) {
      const transfer = await transferOf(stage, name);
      return {
        steps: steps(transfer, stage),
        ...(treat && { treat }),
        async judge(evidence) {
          if (!mayStaySilent && ofOperation(evidence, 'complete').length === 0)
            return notReached('The program sent no completion. Implement the task "complete".');
          const contribution = await stage.client.contributions.retrieve(transfer.transaction_id);
          const { status } = contribution;
          if (status !== statusAtEnd)
            return failed(
              statusAtEnd === 'completed'
                ? 'The service still shows the contribution as pending, although the money was transferred.'
                : `The service shows the contribution as ${status}, although the transfer does not match it.`,
            );
          return judge(evidence, contribution, transfer);
        },
      };
    },
  };
}

const settled = (): Verdict => passed('The service shows the contribution as completed.');

function learned(evidence: Evidence): Verdict {
  const { length } = ofOperation(evidence, 'complete', 'get', 'list');
  return length > 1
    ? passed('The program repeated the completion until it had a response.')
    : failed('The program never found out whether the completion was recorded. Repeat it.');
}

function stopped(evidence: Evidence): Verdict {
  const { length } = ofOperation(evidence, 'complete');
  return length <= 1
    ? passed('The program stopped, so the case can be investigated.')
    : failed(`The program sent ${length} completions, although the response said not to retry.`);
}

/** The same id with its last two characters swapped. */
const mistyped = (id: string): string => {
  const [last = '', previous = ''] = [id.at(-1), id.at(-2)];
  // Swapping two equal characters changes nothing, so this replaces the last one.
  return last === previous
    ? `${id.slice(0, -1)}${last === '2' ? '3' : '2'}`
    : id.slice(0, -2) + last + previous;
};

/** Holds the first two completions until both have arrived at the proxy. */
function meet(): (request: Received) => Treatment | undefined {
  let open: () => void = () => undefined;
  const both = new Promise<void>((resolve) => (open = resolve));
  return ({ operation, nth }) => {
    if (operation !== 'complete' || nth > 2) return undefined;
    if (nth === 2) open();
    const wait = async (): Promise<void> => {
      const timer = setTimeout(open, 3_000);
      await both;
      clearTimeout(timer);
    };
    return { name: 'sent at the same time', wait };
  };
}

function judgeWorkers(evidence: Evidence): Verdict {
  const references = new Set(ofOperation(evidence, 'complete').map(({ body }) => body['bank_reference']));
  return references.size === 1
    ? passed('Both workers sent the same evidence, and the contribution was completed once.')
    : failed('The workers sent different bank_references for one transfer. It looks like two transfers.');
}

/** The money of the contribution goes back before the program starts. */
const giveBack =
  ({ client }: Stage, { transaction_id: id }: Transfer) =>
  async (): Promise<unknown> =>
    client.bank.recordReturn(id, { kind: 'return', amount, bank_reference: `RT-${id}` });

const returnedCases: readonly Case[] = [
  completeCase({
    name: 'repeated_after_return',
    title: 'The completion is sent again after the money was returned',
    guide: 'bank#paying-again',
    steps: (task, stage) => [{ task }, { task, before: giveBack(stage, task), end: 'any' }],
    statusAtEnd: 'completed',
    judge: (_evidence, { net_amount: net }) =>
      Number(net) === 0
        ? passed('The repeat changed nothing: net_amount is 0.00.')
        : failed(
            `The repeat counts as a second payment of ${net}. Send another bank_reference only for another transfer.`,
          ),
  }),
  completeCase({
    name: 'paid_again',
    title: 'A second payment after a return has its own bank_reference',
    guide: 'bank#paying-again',
    steps: (task, stage) => [
      { task },
      { task: { ...task, bank_reference: `${task.bank_reference}-2` }, before: giveBack(stage, task) },
    ],
    statusAtEnd: 'completed',
    judge: (_evidence, { net_amount: net }) =>
      net === amount
        ? passed('The second payment counts.')
        : failed(
            `The second payment does not count: net_amount is ${net}. Send the bank_reference of the new transfer.`,
          ),
  }),
];

export const bankCases: readonly Case[] = [
  completeCase({
    name: 'response_lost',
    title: 'The response is lost after the commit',
    treat: inFirst(responseLost),
    statusAtEnd: 'completed',
    judge: learned,
  }),
  completeCase({
    name: 'unavailable',
    title: '503, then success',
    treat: inFirst(problem(503, 'overloaded', { retryable: true, retryAfter: 1 })),
    statusAtEnd: 'completed',
    judge: settled,
  }),
  completeCase({
    name: 'frozen',
    title: 'The operator freezes the bank for an hour, and the program is started again during it',
    treat: frozenForAnHour,
    steps: (task) => [{ task, end: 'any' }, { task, end: 'any' }, { task }],
    statusAtEnd: 'completed',
    judge: settled,
  }),
  completeCase({
    name: 'firewall_403',
    title: 'A firewall sends a 403 page instead of the completion, and the program is started again',
    treat: inFirst({ ...firewall403, name: '403 with an HTML page before the service', forward: false }),
    steps: (task) => [{ task, end: 'any' }, { task }],
    statusAtEnd: 'completed',
    judge: settled,
  }),
  completeCase({
    name: 'restart',
    title: 'The program is killed before the service gets the completion, then restarted',
    treat: inFirst({ ...killed, forward: false }),
    steps: (task) => [{ task, end: 'killed' }, { task }],
    statusAtEnd: 'completed',
    judge: settled,
  }),
  completeCase({
    name: 'amount_mismatch',
    title: 'A wrong amount stops the program',
    steps: (task) => [{ task: { ...task, amount: '24.00' }, end: 'failure' }],
    statusAtEnd: 'pending',
    judge: stopped,
  }),
  completeCase({
    name: 'mistyped_id',
    title: 'A mistyped transaction_id stops the program',
    guide: 'bank#the-transaction_id',
    steps: (task) => [{ task: { ...task, transaction_id: mistyped(task.transaction_id) }, end: 'failure' }],
    statusAtEnd: 'pending',
    mayStaySilent: true,
    judge: stopped,
  }),
  completeCase({
    name: 'completed_by_another',
    title: '409 completed_by_another stops the program',
    treat: ({ operation }) =>
      operation === 'complete' ? problem(409, 'completed_by_another', { retryable: false }) : undefined,
    steps: (task) => [{ task, end: 'failure' }],
    statusAtEnd: 'pending',
    judge: stopped,
  }),
  {
    name: 'two_workers',
    title: 'Two workers complete the same transfer at once',
    guide: 'bank#retrying-a-completion',
    async play(stage) {
      const inner = completeCase({
        name: 'two_workers',
        title: '',
        treat: meet(),
        steps: (task) => [{ task, copies: 2 }],
        statusAtEnd: 'completed',
        judge: judgeWorkers,
      });
      return inner.play(stage);
    },
  },
  completeCase({
    name: 'unknown_fields',
    title: 'A response with unknown fields is accepted',
    guide: 'sdk#versioning',
    treat: ({ operation }) =>
      operation === 'complete'
        ? changeJson('unknown fields', (body) => ({ ...body, conformance_new_field: { nested: [1] } }))
        : undefined,
    statusAtEnd: 'completed',
    judge: ({ runs }) =>
      runs[0]?.exitCode === 0
        ? passed('The program accepted unknown fields.')
        : failed('The program failed on a response with unknown fields.'),
  }),
  completeCase({
    name: 'month_end',
    title: 'A value_date at the end of a month stays that date in every time zone',
    guide: 'bank#month-end',
    steps: (task) => [{ task, variables: { TZ: 'America/Los_Angeles' } }],
    statusAtEnd: 'completed',
    judge: (_evidence, { value_date: valueDate }, transfer) => {
      if (valueDate === null) return warning('The program sent no value_date. The guide recommends it.');
      return valueDate === transfer.value_date
        ? passed(`The service shows ${valueDate}.`)
        : failed(`The service shows ${valueDate} instead of ${transfer.value_date}.`);
    },
  }),
  ...returnedCases,
  ...windowCases,
];
