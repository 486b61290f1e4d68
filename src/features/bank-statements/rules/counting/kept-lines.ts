import { lineRef } from '../versions/choose-version';
import type { StatementLine } from '../reading/statement';
import type { ChosenVersion, LineState } from './line-state';

/** What the lines of a closed month are since its closing: later files and voids change nothing. */
export interface KeptLines {
  /** By `lineRef`. */
  states: ReadonlyMap<string, LineState>;
  /** The contents of the parts that a notification supplied, by the `lineRef` of their entry. */
  parts: ReadonlyMap<string, readonly string[]>;
}

/** A line that came after the closing counts for nothing. */
export const stateAfterClose = (
  line: StatementLine,
  version: ChosenVersion | null,
  { states }: KeptLines,
): LineState =>
  states.get(lineRef(line)) ??
  (version ? { state: 'replaced', by: version.key } : { state: 'proposed', reason: 'in_other_version' });
