import type { Completion } from '../../completions.js';
import {
  type Case,
  type Evidence,
  failed,
  notReached,
  ofOperation,
  passed,
  type Play,
  type Step,
  type Verdict,
  warning,
} from './case.js';
import type { Operation, Received, Treatment } from './proxy.js';
import { closingCase } from './closing-case.js';
import {
  createCompleted,
  createOne,
  entry,
  file,
  statementCases,
  statementOf,
  uploadAndWait,
} from './statement-cases.js';
import { changeJson, responseLost } from './treatments.js';

interface BatchCase {
  name: string;
  title: string;
  /** The amounts that the program reports, one for each contribution of 25.00. */
  amounts: readonly string[];
  treat?: (request: Received) => Treatment | undefined;
  end?: Step['end'];
  judge?: (evidence: Evidence) => Verdict;
}

function batchCase({ name, title, amounts, treat, end = 'success', judge }: BatchCase): Case {
  return {
    name,
    title,
    guide: 'bank#many-completions-in-one-request',
    async play(stage): Promise<Play> {
      const completions: Completion[] = [];
      for (const [index, amount] of amounts.entries()) {
        const id = await createOne(stage, `${name}-${index}`);
        completions.push({ transaction_id: id, amount, bank_reference: `FT-${id}` });
      }
      return {
        steps: [{ task: { task: 'complete_many', completions }, end }],
        ...(treat && { treat }),
        async judge(evidence) {
          if (ofOperation(evidence, 'complete_many', 'complete').length === 0)
            return notReached('The program sent no completions. Implement the task "complete_many".');
          for (const { transaction_id: id, amount } of completions) {
            const { status } = await stage.client.contributions.retrieve(id);
            const expected = amount === '25.00' ? 'completed' : 'pending';
            if (status !== expected)
              return failed(`The service shows ${id} as ${status} instead of ${expected}.`);
          }
          return judge?.(evidence) ?? passed('The service shows every contribution as expected.');
        },
      };
    },
  };
}

/** The response ends normally, but after half of its lines. */
const withoutSummary: Treatment = {
  name: 'response without its last lines',
  change: (reply) => {
    const lines = reply.body.split('\n');
    return reply.status === 200
      ? { ...reply, body: lines.slice(0, Math.floor(lines.length / 2)).join('\n') }
      : reply;
  },
};

const batchCases: readonly Case[] = [
  batchCase({
    name: 'batch',
    title: 'All completions of a batch are sent',
    amounts: ['25.00', '25.00', '25.00', '25.00'],
  }),
  batchCase({
    name: 'batch_cut',
    title: 'A batch without a summary is sent again',
    amounts: ['25.00', '25.00'],
    treat: ({ operation, nth }) => (operation === 'complete_many' && nth === 1 ? withoutSummary : undefined),
    judge: (evidence) =>
      ofOperation(evidence, 'complete_many').length === 1
        ? failed('The response had no summary, so outcomes were missing. Send the whole file again.')
        : passed('The program knows the outcome of every completion.'),
  }),
  batchCase({
    name: 'batch_refused',
    title: 'A refused completion of a batch needs attention',
    amounts: ['24.00', '25.00'],
    end: 'failure',
  }),
];

const positions: readonly Operation[] = ['positions', 'positions_summary'];

interface PositionCount {
  contributions: number;
  open: number;
}

/** Shows only the contributions of this case, because other cases run at the same time. */
function only(
  ids: readonly string[],
  counts: Readonly<Record<string, PositionCount>>,
  { operation, nth }: Received,
): Treatment | undefined {
  if (operation === 'positions_summary')
    return changeJson('only the contributions of this case', (body) => ({
      ...body,
      open: Object.values(counts).reduce((sum, { open }) => sum + open, 0),
      positions: (body['positions'] as { position: string }[]).flatMap((row) => {
        const count = counts[row.position];
        return count ? [{ ...row, ...count }] : [];
      }),
    }));
  if (operation !== 'positions') return undefined;
  const change = changeJson('one contribution per page, and only those of this case', (body) => ({
    ...body,
    data: (body['data'] as { transaction_id: string }[]).filter(
      // A page can be empty while more follow.
      ({ transaction_id: id }) => ids.includes(id) && !(nth === 1 && body['has_more'] === true),
    ),
  }));
  return {
    ...change,
    changeQuery: (query) => {
      query.set('limit', '1');
    },
  };
}

interface MonthCase {
  name: string;
  title: string;
  /** The amounts that arrived for two completed contributions. A missing one did not arrive. */
  sums: readonly string[];
  /** The positions of these two contributions. */
  counts: Readonly<Record<string, PositionCount>>;
  end: NonNullable<Step['end']>;
  detail: string;
}

function monthCase({ name, title, sums, counts, end, detail }: MonthCase): Case {
  return {
    name,
    title,
    guide: 'month-end#3-read-the-positions',
    async play(stage): Promise<Play> {
      const ids = [await createCompleted(stage, `${name}-1`), await createCompleted(stage, `${name}-2`)];
      // The third contribution stays pending, because nobody pays it.
      ids.push(await createOne(stage, `${name}-3`));
      const entries = sums.map((sum, index) => entry(ids[index] ?? '', { sum }));
      await uploadAndWait(stage, statementOf(stage, name, entries));
      const { created_at: from } = await stage.client.contributions.retrieve(ids[0] ?? '');
      return {
        steps: [{ task: { task: 'check_month', from }, end }],
        treat: (request) => only(ids, { ...counts, waiting: { contributions: 1, open: 0 } }, request),
        judge: (evidence) =>
          ofOperation(evidence, ...positions).length === 0
            ? notReached('The program read no positions. Implement the task "check_month".')
            : passed(detail),
      };
    },
  };
}

const monthCases: readonly Case[] = [
  monthCase({
    name: 'open_positions',
    title: 'An open position keeps the month open',
    sums: ['24.00', '23.00'],
    counts: { short: { contributions: 2, open: 2 } },
    end: 'failure',
    detail: 'The program read the positions, and found those that are open.',
  }),
  monthCase({
    name: 'unconfirmed',
    title: 'An unconfirmed contribution keeps the month open',
    sums: ['25.00'],
    counts: {
      matched: { contributions: 1, open: 0 },
      unconfirmed: { contributions: 1, open: 0 },
    },
    end: 'failure',
    detail: 'The program found the contribution whose money no statement confirms.',
  }),
  monthCase({
    name: 'closed',
    title: 'A month whose money is all confirmed can be closed',
    sums: ['25.00', '25.00'],
    counts: { matched: { contributions: 2, open: 0 } },
    end: 'success',
    detail: 'The program read the positions, and found none that is open or unconfirmed.',
  }),
];

interface ReturnCase {
  name: string;
  title: string;
  starts: number;
  treat?: (request: Received) => Treatment | undefined;
}

const returned = '5.00';

function returnCase({ name, title, starts, treat }: ReturnCase): Case {
  return {
    name,
    title,
    guide: 'bank#returns',
    async play(stage): Promise<Play> {
      const id = await createCompleted(stage, name);
      const back = entry(id, { sum: returned, isReturn: true });
      return {
        files: { [file]: statementOf(stage, name, [entry(id), back]) },
        steps: Array.from({ length: starts }, () => ({ task: { task: 'record_returns', file } })),
        ...(treat && { treat }),
        async judge(evidence) {
          const sent = ofOperation(evidence, 'return');
          if (sent.length === 0)
            return notReached('The program recorded no return. Implement the task "record_returns".');
          const { returned_amount: amount } = await stage.client.contributions.retrieve(id);
          if (amount !== returned)
            return failed(`The service shows ${amount} as returned, but ${returned} went back.`);
          return sent.every(({ body }) => body['bank_reference'] === back.bank_reference)
            ? passed(`The service shows ${returned} as returned, with the reference of the statement.`)
            : warning("The bank_reference of the return is not that of the statement's entry.");
        },
      };
    },
  };
}

const returnCases: readonly Case[] = [
  returnCase({
    name: 'return_lost',
    title: 'The response to a return is lost',
    starts: 1,
    treat: ({ operation, nth }) => (operation === 'return' && nth === 1 ? responseLost : undefined),
  }),
  returnCase({
    name: 'return_again',
    title: 'The returns of the same statement again change nothing',
    starts: 2,
  }),
];

/** A bank's month-end close: a batch of completions, its statement, the positions and returns. */
export const monthEndCases: readonly Case[] = [
  ...batchCases,
  ...statementCases,
  ...monthCases,
  closingCase,
  ...returnCases,
];
