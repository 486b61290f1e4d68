import { lineRef } from '../versions/choose-version';
import type { ChosenVersion, LineState } from './line-state';
import type { DayLine } from './near-lines';

/** What the lines of a closed month are since its closing: later files and voids change nothing. */
export interface KeptLines {
  /** By `lineRef`. */
  states: ReadonlyMap<string, LineState>;
  /** The contents of the parts that a notification supplied, by the `lineRef` of their entry. */
  parts: ReadonlyMap<string, readonly string[]>;
}

/**
 * A line that came after the closing counts for nothing. A later version is a question about its
 * day. A version without balances may lack a reported line.
 */
export const stateAfterClose = (
  line: DayLine,
  version: ChosenVersion | null,
  { states }: KeptLines,
): LineState =>
  states.get(lineRef(line)) ??
  (version && (version.hasBalances || line.statement.isFinal)
    ? { state: 'replaced', by: version.key }
    : { state: 'proposed', reason: 'in_other_version' });
