import type { StatementLine } from '../reading/statement';
import { type LineException, lineRef } from '../versions/choose-version';
import { suppliedParts } from './batch-parts';
import { type LineDecision, lineKey, numberLines } from './decisions';
import { type JudgedLine, judgeLine, type LineContext } from './judge-line';
import { type ChosenVersion, stateOfLine, stateOfReported } from './line-state';
import { type DayLine, type NearLines, statementKey } from './near-lines';

/** What the lines of one account-day depend on. */
export interface DayContext extends Pick<LineContext, 'accountDirection' | 'known'> {
  version: ChosenVersion | null;
  exceptions: ReadonlyMap<string, LineException>;
  /** The lines of near days that have the references and amounts of the day's lines. */
  near: NearLines;
  /** The parts of the day's batch entries in reports and notifications of near days. */
  reportedParts: readonly DayLine[];
  /** The placed decisions by line key. */
  decisions: ReadonlyMap<string, LineDecision>;
}

export interface JudgedDay {
  /** By line key. */
  judged: Map<string, JudgedLine>;
  replaced: { line: DayLine; by: string }[];
}

/**
 * Says of each line of an account-day whether it counts, and what it is about.
 *
 * @param lines of all statements of the day, or a part of them: equal lines together
 */
export function judgeDay(lines: readonly DayLine[], context: DayContext): JudgedDay {
  const { version, exceptions, near, reportedParts, decisions } = context;
  const kept: (StatementLine & { kept: LineContext['state'] })[] = [];
  const replaced: JudgedDay['replaced'] = [];
  for (const line of lines) {
    const { format, isFinal } = line.statement;
    const reported = { ...line, version: version?.key ?? null, format, statement: statementKey(line) };
    const state =
      isFinal && version
        ? stateOfLine(line, version, near, exceptions.get(lineRef(line)))
        : stateOfReported(reported, near);
    if (state.state === 'replaced') {
      replaced.push({ line, by: state.by });
      continue;
    }
    const isWhole = !isFinal || state.state !== 'counted' || decisions.has(lineKey(line, 1));
    const parts = isWhole ? undefined : suppliedParts(line, reportedParts, near);
    kept.push(...(parts ?? [line]).map((one) => ({ ...one, kept: state })));
  }
  const numbered = numberLines(kept, (line) => exceptions.has(lineRef(line)));
  const judged = [...numbered].map(([key, line]): [string, JudgedLine] => {
    const decision = decisions.get(key);
    // A decision says what the bank's reference would say.
    const isNamed = decision && line.kept.state === 'proposed' && line.kept.reason === 'no_bank_reference';
    return [
      key,
      judgeLine(line, { ...context, decision, state: isNamed ? { state: 'counted' } : line.kept }),
    ];
  });
  return { judged: new Map(judged), replaced };
}
