import { hash } from 'node:crypto';

import type { NumberedJudgedLine } from '../rules/counting/judge-day';
import type { JudgedLine } from '../rules/counting/judge-line';
import { termsOf } from '../rules/days/reconciliation';
import type { StatementLine } from '../rules/reading/statement';

/** What a line of a day is: a row of `line_outcomes`. */
export interface LineOutcome {
  bucket: number;
  line: StatementLine;
  /** Undefined if another version or statement has the line instead: `replacedBy`. */
  judged: (NumberedJudgedLine & { entryId: string; decisionEntryId: string | null }) | undefined;
  replacedBy: string | null;
}

/** Identifies a line of an account for a person. It stays the same in all versions that have it. */
export function entryIdOf(accountId: string, lineKey: string): string {
  const bytes = hash('sha256', `${accountId} ${lineKey}`, 'buffer').subarray(0, 16);
  // RFC 9562, section 5.8: a UUID of an own kind.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The first term is that of the line; a return with a charge has two. */
function termRow(judged: JudgedLine | undefined) {
  const [own, fee] = judged ? termsOf(judged) : [];
  return {
    ...{ term: own?.term ?? null, term_cents: String(own?.cents ?? 0n), fee_cents: String(fee?.cents ?? 0n) },
  };
}

export const outcomeRow = ({ bucket, line, judged, replacedBy }: LineOutcome) => ({
  ...{ bucket, statement_id: line.statementId, number: line.number, part: judged?.part ?? 0 },
  state: judged?.state ?? 'replaced',
  replaced_by: replacedBy,
  entry_id: judged?.entryId ?? null,
  outcome: judged?.outcome ?? null,
  reason: judged?.reason ?? null,
  decision_entry_id: judged?.decisionEntryId ?? null,
  direction: line.direction,
  amount_cents: line.cents.toString(),
  charges_cents: (judged?.chargesCents ?? 0n).toString(),
  reference: line.reference,
  digest: line.digest,
  content: line.content,
  occurrence: judged?.occurrence ?? null,
  ...termRow(judged),
});
