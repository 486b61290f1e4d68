import { randomInt } from 'node:crypto';

import type { StatementAccount } from '../../generated/api.js';
import { camtOf } from '../statement-formats/camt.js';
import { centsOf, type Entry } from '../statement-formats/entry.js';
import {
  type Case,
  type Evidence,
  failed,
  notReached,
  ofOperation,
  passed,
  type Stage,
  type Verdict,
} from './case.js';
import { createCompleted, entry, uploadAndWait } from './statement-cases.js';

const name = 'close_month';
const reason = 'The conformance kit checks this';

/** A month in which no practice account has statements, from its first day to its last one. */
function pastMonth(): { month: string; from: string; to: string; last: string } {
  const start = new Date(Date.UTC(randomInt(1990, 2015), randomInt(12), 1));
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const from = day(start);
  return { month: from.slice(0, 7), from, to: day(end), last: day(new Date(end.getTime() - 1)) };
}

/**
 * Uploads a month, whose first day has a fee of the bank that nobody explains. Another statement of
 * this day contradicts it.
 */
async function prepare(stage: Stage) {
  const { client, id } = stage;
  const of = pastMonth();
  const transactionId = await createCompleted(stage, name);
  const fee: Entry = {
    ...entry('', { sum: '3.00', isReturn: true, day: of.from }),
    bank_reference: `FEE-${id}`,
    transaction_id: undefined,
  };
  const options = { now: `${of.to}T01:00:00.000Z`, account: `${id}-${name}`, from: of.from };
  const statement = (sum: string, to: string): string =>
    camtOf(
      '053',
      [
        entry(transactionId, { sum: '25.00', day: of.from }),
        fee,
        { ...fee, bank_reference: `X-${id}`, cents: centsOf(sum) },
      ],
      { ...options, to },
    );
  const right = await uploadAndWait(stage, statement('1.00', of.last));
  await uploadAndWait(stage, statement('2.00', of.from));
  const { accounts } = await client.statements.retrieve(right);
  const accountId = accounts[0]?.account_id ?? '';
  const range = { from: of.from, to: of.to };
  const { data: days } = await client.statements.accounts.listDays(accountId, range);
  const question = days.flatMap(({ questions }) => questions)[0];
  const version = question?.choices.find(({ statements }) =>
    statements.some(({ file_id: fileId }) => fileId === right),
  )?.version;
  const entries = client.statements.entries.list({ account_id: accountId, ...range });
  const unexplained = (await entries).data.find(({ bank_reference: of }) => of === fee.bank_reference);
  return { ...of, accountId, right, question, version, entryId: unexplained?.entry_id ?? '' };
}

/** The accounts of earlier practice, which have no statements in the month. */
async function otherAccounts({ client }: Stage, accountId: string): Promise<string[]> {
  const all: StatementAccount[] = [];
  for await (const account of client.statements.accounts.list()) all.push(account);
  return all.map(({ account_id: each }) => each).filter((each) => each !== accountId);
}

async function judge(
  { client }: Stage,
  evidence: Evidence,
  { month, from, to, accountId }: Awaited<ReturnType<typeof prepare>>,
): Promise<Verdict> {
  if (ofOperation(evidence, 'can_close', 'close').length === 0)
    return notReached('The program did not try to close the month. Implement the task "close_month".');
  const { changes } = await client.reconciliation.months.retrieve(month);
  const kinds = changes.slice(0, 2).map(({ kind }) => kind);
  if (kinds.join() !== 'reopened,closed')
    return failed(`The service shows these changes of the month: ${kinds.join(', ') || 'none'}.`);
  const statement = await client.statements.accounts.retrieveReconciliation(accountId, { from, to });
  const { opening_balance: opening, closing_balance: closing, terms, is_exact: isExact } = statement;
  const sum = terms.reduce((total, { amount }) => total + centsOf(amount), centsOf(opening ?? ''));
  if (isExact !== true || sum !== centsOf(closing ?? ''))
    return failed('The opening balance and the terms do not add up to the closing balance.');
  return terms.some(({ term, amount }) => term === 'ignored' && amount === '-3.00')
    ? passed('The month was closed after its question was answered, and it was reopened.')
    : failed('The decision about the entry is missing in the reconciliation.');
}

/** A month with a question and an entry to explain is closed and reopened. */
export const closingCase: Case = {
  name,
  title: 'A month is closed after its question is answered, and not before',
  guide: 'month-end#4-close-the-month',
  async play(stage) {
    const prepared = await prepare(stage);
    const { month, accountId, right, question, version, entryId } = prepared;
    const without = await otherAccounts(stage, accountId);
    const close = { task: 'close_month', month, reason, accounts_without_statements: without } as const;
    const answer = { kind: 'version', version, among: question?.versions, reason } as const;
    const decision = { action: 'ignore', reason } as const;
    const day = question?.from ?? '';
    return {
      steps: [
        { task: close, end: 'failure' },
        { task: { task: 'answer_question', account_id: accountId, day, answer } },
        { task: { task: 'decide_entry', entry_id: entryId, decision } },
        { task: close, before: () => stage.client.statements.waitUntilRead(right) },
        { task: { task: 'reopen_month', month, reason } },
      ],
      judge: (evidence) => judge(stage, evidence, prepared),
    };
  },
};
