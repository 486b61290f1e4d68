import { setImmediate as otherRequests } from 'node:timers/promises';

import type { AccountRulesStore } from '../accounts/account-rules.store';
import type { KnownTo } from '../contributions/known-contributions';
import type { StatedContributionsStore } from '../contributions/stated-contributions.store';
import { type DecidableLine, lineKey, placeDecisions } from '../rules/counting/decisions';
import { type JudgedDay, judgeDay } from '../rules/counting/judge-day';
import { stateOfReported } from '../rules/counting/line-state';
import { type DayLine, indexNearLines, type NearLine, type NearLines } from '../rules/counting/near-lines';
import { lineRef } from '../rules/versions/choose-version';
import type { AccountDay, LineAllocation } from './account-day';
import { type DayLinesStore, hashesOf } from './day-lines.store';
import { moneyHash } from '../statements/line-hashes';
import { keptDecisions, keptLinesOf } from './kept-lines.store';
import { entryIdOf, type LineOutcome } from './line-outcomes';
import type { StoredVersion } from './stored-version.store';

/** What some buckets of a day result in. */
export interface JudgedChunk {
  outcomes: LineOutcome[];
  allocations: LineAllocation[];
}

export interface JudgeDependencies {
  lines: DayLinesStore;
  stated: Pick<StatedContributionsStore, 'visibleEnvironments'>;
  knownTo: KnownTo;
  rules: Pick<AccountRulesStore, 'ofDay'>;
}

/** The lines that a decision can be about: those that count or are proposed. Equal ones are one. */
function decidableLines(lines: readonly NearLine[], near: NearLines): DecidableLine[] {
  const found = new Map<string, DecidableLine>();
  for (const line of lines) {
    if (line.role === 'reported' && stateOfReported(line, near).state === 'replaced') continue;
    const equal = found.get(lineKey(line, 0));
    if (equal) equal.count += line.count;
    else found.set(lineKey(line, 0), { ...line });
  }
  return [...found.values()];
}

const chosenOf = ({ version, format, statementIds, ...stored }: StoredVersion) =>
  version === null || format === null
    ? null
    : { ...stored, key: version, format, statementIds: new Set(statementIds) };

function outcomesOf(accountId: string, { judged, replaced }: JudgedDay): JudgedChunk {
  const outcomes: LineOutcome[] = replaced.map(({ line, by }) => ({
    ...{ bucket: line.bucket, line, judged: undefined, replacedBy: by },
  }));
  const allocations: LineAllocation[] = [];
  for (const [key, line] of judged) {
    const entryId = entryIdOf(accountId, key);
    const decisionEntryId =
      line.decision === undefined
        ? null
        : entryIdOf(accountId, lineKey(line.decision, line.decision.occurrence));
    outcomes.push({
      ...{ bucket: line.bucket, line: line.line, replacedBy: null },
      judged: { ...line, entryId, decisionEntryId },
    });
    for (const match of line.allocations) {
      if (match.cents <= 0n) continue;
      allocations.push({
        ...{ bucket: line.bucket, entryId, transactionId: match.transactionId, kind: match.kind },
        transactionEnvironmentId: match.environmentId,
        amountCents: match.cents,
        // The charge of a line for several contributions belongs to none of them.
        chargesCents: line.allocations.length === 1 ? line.chargesCents : 0n,
        expectedCents: match.amountCents,
        confidence: match.confidence,
        state: match.isConfirmed ? 'confirmed' : 'proposed',
      });
    }
  }
  return { outcomes, allocations };
}

/** Reads what the lines of a day depend on, by the hashes of their money. */
export type ReadNear = (hashes: readonly string[]) => Promise<NearLine[]>;

/**
 * Reads near lines, and remembers those of equal lines for the next chunk. If another day changes
 * meanwhile, it queues the lines again.
 */
export function rememberNear({ lines }: Pick<JudgeDependencies, 'lines'>, day: AccountDay): ReadNear {
  let last: { key: string; found: Promise<NearLine[]> } | undefined;
  return (hashes) => {
    const key = hashes.join(' ');
    if (hashes.length > 2 || last?.key !== key) last = { key, found: lines.near(day, hashes) };
    return last.found;
  };
}

/** What all lines of a day depend on. If it changes later, the lines are queued again. */
export interface DayBasis {
  version: StoredVersion | undefined;
  /** The environments whose contributions count, by their tags. */
  environments: ReadonlyMap<string, number>;
  rules: Awaited<ReturnType<AccountRulesStore['ofDay']>>;
}

export async function readBasis(
  { lines, stated, rules }: Pick<JudgeDependencies, 'lines' | 'stated' | 'rules'>,
  day: AccountDay,
): Promise<DayBasis> {
  const { environmentId, accountId } = day;
  return {
    version: await lines.version(day),
    environments: await stated.visibleEnvironments(environmentId),
    rules: await rules.ofDay(environmentId, accountId, day.day),
  };
}

/** Judges the lines in these buckets of a day. Stores nothing. */
export async function judgeChunk(
  { lines: store, knownTo }: Pick<JudgeDependencies, 'lines' | 'knownTo'>,
  day: AccountDay,
  buckets: readonly number[],
  { version, environments, rules }: DayBasis,
  near: ReadNear,
): Promise<JudgedChunk> {
  const { environmentId, accountId } = day;
  const lines = await store.linesIn(day, buckets);
  if (!version || lines.length === 0) return { outcomes: [], allocations: [] };
  const outcomes = version.isClosed ? await store.outcomesIn(day, buckets) : undefined;
  const reportedParts = await store.reportedParts(day, lines, version.isClosed);
  const decisions = await store.decisions(day, [...lines, ...reportedParts]);
  // The lines to which these decisions can move.
  const moving = decisions.filter(({ canMove, reference }) => canMove && reference === null);
  const hashes = [...hashesOf(accountId, lines), ...moving.map((one) => moneyHash(accountId, one))];
  const found = outcomes ? [] : await near([...new Set(hashes)]);
  await otherRequests();
  const named: readonly DayLine[] = [...lines, ...reportedParts];
  const known = await knownTo(environmentId, environments, {
    searches: named.map(({ search }) => search),
    decided: decisions.flatMap((one) => one.allocations.map(({ transactionId }) => transactionId)),
    returns: named.filter((line) => line.direction !== version.accountDirection),
  });
  const nearLines = indexNearLines(found);
  const decidable = decisions.length === 0 ? [] : decidableLines(found, nearLines);
  const placed = outcomes
    ? keptDecisions(day, outcomes, decisions)
    : placeDecisions(decisions, decidable).placed;
  // Each of these steps takes up to 50 ms for the largest bucket.
  await otherRequests();
  const judged = judgeDay(lines, {
    version: chosenOf(version),
    exceptions: new Map(
      lines.flatMap((line) => (line.exception ? [[lineRef(line), line.exception] as const] : [])),
    ),
    ...{
      near: nearLines,
      reportedParts,
      decisions: placed,
      accountDirection: version.accountDirection,
      known,
    },
    rules,
    closed: outcomes && keptLinesOf(outcomes),
  });
  await otherRequests();
  return outcomesOf(accountId, judged);
}
