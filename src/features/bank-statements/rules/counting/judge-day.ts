import { groupBy } from '../../../../shared/group-by';
import { type LineException, lineRef } from '../versions/choose-version';
import { keptParts, suppliedParts } from './batch-parts';
import { type LineDecision, lineKey, numberLines } from './decisions';
import { type JudgedLine, judgeLine, type LineContext } from './judge-line';
import { type KeptLines, stateAfterClose } from './kept-lines';
import {
  type ChosenVersion,
  type LineState,
  type ProposalReason,
  stateOfLine,
  stateOfReported,
} from './line-state';
import { batchKey, type DayLine, type NearLines, statementKey } from './near-lines';

/** What the lines of one account-day depend on. */
export interface DayContext extends Pick<LineContext, 'accountDirection' | 'known' | 'rules'> {
  version: ChosenVersion | null;
  exceptions: ReadonlyMap<string, LineException>;
  /** The lines of near days that have the references and amounts of the day's lines. */
  near: NearLines;
  /** The parts of the day's batch entries in reports and notifications of near days. */
  reportedParts: readonly DayLine[];
  /** The placed decisions by line key. */
  decisions: ReadonlyMap<string, LineDecision>;
  /** Of a day of a closed month. Then, near lines and parts change nothing. */
  closed?: KeptLines | undefined;
}

const doubtsOfLine: ReadonlySet<ProposalReason> = new Set([
  'no_bank_reference',
  'possible_repeat',
  'in_better_statement',
  'in_closed_month',
]);

/** A judged line with its number among equal lines, and its part of a batch: 0, or from 1. */
export type NumberedJudgedLine = JudgedLine & { occurrence: number; bucket: number; part: number };

export interface JudgedDay {
  /** By line key. */
  judged: Map<string, NumberedJudgedLine>;
  replaced: { line: DayLine; by: string }[];
}

/** A version without balances may lack a reported line, or have it without its reference. */
const stateWithoutBalances = (version: ChosenVersion | null, state: LineState): LineState =>
  version && state.state === 'counted' ? { state: 'proposed', reason: 'possible_repeat' } : state;

/**
 * Says of each line of an account-day whether it counts, and what it is about.
 *
 * @param lines of all statements of the day, or a part of them: equal lines together
 */
export function judgeDay(lines: readonly DayLine[], context: DayContext): JudgedDay {
  const { version, exceptions, near, decisions, closed } = context;
  const reportedParts = groupBy(context.reportedParts, batchKey);
  const kept: (DayLine & { kept: LineContext['state']; part: number })[] = [];
  const replaced: JudgedDay['replaced'] = [];
  for (const line of lines) {
    const { format, isFinal } = line.statement;
    const complete = version?.hasBalances ? version.key : null;
    const reported = { ...line, version: complete, format, statement: statementKey(line) };
    const state = closed
      ? stateAfterClose(line, version, closed)
      : isFinal
        ? stateOfLine(line, version, near, exceptions.get(lineRef(line)))
        : stateWithoutBalances(version, stateOfReported(reported, near));
    if (state.state === 'replaced') {
      replaced.push({ line, by: state.by });
      continue;
    }
    const isWhole = !isFinal || state.state !== 'counted' || decisions.has(lineKey(line, 1));
    const parts = closed
      ? keptParts(line, reportedParts, closed.parts.get(lineRef(line)) ?? [])
      : isWhole
        ? undefined
        : suppliedParts(line, reportedParts, near);
    if (parts) kept.push(...parts.map((one, at) => ({ ...one, kept: state, part: at + 1 })));
    else kept.push({ ...line, kept: state, part: 0 });
  }
  const isAdded = ({ kept: of }: (typeof kept)[number]): boolean =>
    of.state === 'proposed' && of.reason === 'in_other_version';
  const numbered = numberLines(kept, (line) => exceptions.has(lineRef(line)) || isAdded(line));
  const judged = [...numbered].map(([key, line]): [string, NumberedJudgedLine] => {
    const decision = decisions.get(key);
    // The line is in doubt by itself, so a decision makes it count. Other doubts are about its day.
    const isNamed = decision && line.kept.state === 'proposed' && doubtsOfLine.has(line.kept.reason);
    const { kept: state, occurrence, bucket, part } = line;
    const own = judgeLine(line, { ...context, decision, state: isNamed ? { state: 'counted' } : state });
    return [key, { ...own, occurrence, bucket, part }];
  });
  return { judged: new Map(judged), replaced };
}
