import { camtOf } from '../statement-formats/camt.js';
import { centsOf, type Entry } from '../statement-formats/entry.js';
import {
  type Case,
  type Evidence,
  failed,
  notReached,
  ofOperation,
  passed,
  type Play,
  type Stage,
  type Step,
  type Verdict,
} from './case.js';
import type { Received, Treatment } from './proxy.js';
import { responseLost } from './treatments.js';

const amount = '25.00';
export const file = 'statement.xml';

/** Creates a contribution for a case. */
export async function createOne({ client, projectId, id, newUser }: Stage, name: string): Promise<string> {
  const order = { project_id: projectId, amount, user_hash: newUser() };
  return (await client.contributions.create(order, { idempotencyKey: `${id}-${name}` })).transaction_id;
}

export async function createCompleted(stage: Stage, name: string): Promise<string> {
  const transactionId = await createOne(stage, name);
  await stage.client.bank.complete(transactionId, { amount, bank_reference: `FT-${transactionId}` });
  return transactionId;
}

/**
 * An entry of the statement for a payment or a return. By default, its amount is the full amount of
 * the contribution.
 */
export function entry(
  transactionId: string,
  {
    sum = amount,
    isReturn = false,
    day = new Date().toISOString().slice(0, 10),
  }: { sum?: string; isReturn?: boolean; day?: string } = {},
): Entry {
  return {
    bank_reference: `${isReturn ? 'RT' : 'FT'}-${transactionId}`,
    transaction_id: transactionId,
    cents: centsOf(sum),
    is_return: isReturn,
    booking_date: day,
    value_date: day,
    transfers: [],
  };
}

/** A statement of an account that no other case uses. */
export const statementOf = (stage: Stage, name: string, entries: readonly Entry[]): string =>
  camtOf('053', entries, { now: new Date().toISOString(), account: `${stage.id}-${name}` });

/** Uploads a file as the kit, and waits until its days are compared. Returns its id. */
export async function uploadAndWait({ client }: Stage, statement: string): Promise<string> {
  const { file_id: fileId } = await client.statements.upload({ file: new TextEncoder().encode(statement) });
  await client.statements.waitUntilRead(fileId);
  return fileId;
}

const upload: Step = { task: { task: 'upload_statement', file } };

interface StatementCase {
  name: string;
  title: string;
  guide?: string;
  steps?: readonly Step[];
  treat?: (request: Received) => Treatment | undefined;
  /** Changes the file. */
  change?: (statement: string) => string;
  judge: (evidence: Evidence, id: string, stage: Stage) => Verdict | Promise<Verdict>;
}

/** A case with a statement that contains the full amount of one completed contribution. */
function statementCase(options: StatementCase): Case {
  const { name, title, guide = 'statements#uploading', steps = [upload], treat } = options;
  return {
    name,
    title,
    guide,
    async play(stage): Promise<Play> {
      const id = await createCompleted(stage, name);
      const statement = statementOf(stage, name, [entry(id)]);
      return {
        files: { [file]: options.change?.(statement) ?? statement },
        steps,
        ...(treat && { treat }),
        judge(evidence) {
          if (ofOperation(evidence, 'upload').length === 0)
            return notReached('The program uploaded no file. Implement the task "upload_statement".');
          return options.judge(evidence, id, stage);
        },
      };
    },
  };
}

/** Whether the program waited until the service had read the file. */
const waited = (evidence: Evidence): boolean =>
  ofOperation(evidence, 'upload', 'statement').some(({ reply }) => reply?.['state'] === 'read');

/** The different files that the service accepted from the program. */
const filesOf = (evidence: Evidence): Set<unknown> =>
  new Set(ofOperation(evidence, 'upload', 'statement').flatMap(({ reply }) => reply?.['file_id'] ?? []));

async function judgePosition(id: string, { client }: Stage): Promise<Verdict> {
  const { position } = await client.reconciliation.retrieve(id);
  return position === 'matched'
    ? passed('The service shows the contribution as matched: its money counts once.')
    : failed(`The service shows the contribution as ${position} instead of matched.`);
}

export const statementCases: readonly Case[] = [
  statementCase({
    name: 'statement',
    title: 'The program waits for the result of an upload',
    guide: 'statements#entries',
    judge: async (evidence, id, stage) =>
      waited(evidence)
        ? judgePosition(id, stage)
        : failed('The program did not wait for the state "read". Earlier results are incomplete.'),
  }),
  statementCase({
    name: 'statement_lost',
    title: 'The response to an upload is lost',
    treat: ({ operation, nth }) => (operation === 'upload' && nth === 1 ? responseLost : undefined),
    judge: (evidence) =>
      ofOperation(evidence, 'upload').some(({ reply }) => typeof reply?.['file_id'] === 'string')
        ? passed('The program sent the file again until it had a response.')
        : failed('The program never found out whether the file was stored. Send the same bytes again.'),
  }),
  statementCase({
    name: 'statement_again',
    title: 'The same statement again changes nothing',
    steps: [upload, upload],
    judge: async (evidence, id, stage) =>
      filesOf(evidence).size > 1
        ? failed('The program changed the file. Send the bytes of your bank, so that a repeat is recognized.')
        : judgePosition(id, stage),
  }),
  statementCase({
    name: 'unbalanced',
    title: 'A statement with a wrong balance needs attention',
    guide: 'statements#questions',
    steps: [{ ...upload, end: 'failure' }],
    change: (statement) =>
      // The closing balance is the second one.
      statement.replace(/(<Cd>CLBD<\/Cd>[\s\S]*?<Amt Ccy="USD">)[^<]+/, '$126.00'),
    judge: () => passed('The program reported the wrong balance.'),
  }),
  statementCase({
    name: 'unreadable',
    title: 'A damaged file stops the program',
    steps: [{ ...upload, end: 'failure' }],
    change: (statement) => statement.slice(0, -40),
    judge(evidence) {
      const { length } = ofOperation(evidence, 'upload');
      return length <= 1
        ? passed('The program stopped at the damaged file.')
        : failed(`The program sent the damaged file ${length} times.`);
    },
  }),
];
