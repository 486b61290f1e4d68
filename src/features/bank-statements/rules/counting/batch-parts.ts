import { groupBy } from '../../../../shared/group-by';
import { changeOf, type StatementLine } from '../reading/statement';
import { firstSeriesOfParts } from './decisions';
import { batchKey, type DayLine, isNear, type NearLines, statementKey } from './near-lines';

/** Whether no other version within seven days has the batch entry, or parts of it. */
function isOnly(line: StatementLine, near: NearLines): boolean {
  const key = batchKey(line);
  const same = near.chosen(key).filter((other) => batchKey(other) === key && isNear(other.day, line.day));
  return same.reduce((count, other) => count + other.count, 0) === 1;
}

/** The parts of a batch entry within seven days that add up to it, by statement. */
function groupsFor(line: DayLine, reported: ReadonlyMap<string, readonly DayLine[]>): [string, DayLine[]][] {
  const parts = (reported.get(batchKey(line)) ?? []).filter((part) => isNear(part.day, line.day));
  return [...groupBy(parts, statementKey)].filter(([, group]) => changeOf(group) === line.batchCents);
}

function inPlaceOf(line: DayLine, parts: readonly DayLine[]): DayLine[] {
  const { day, ownDay, statementId, number, bucket } = line;
  const series = firstSeriesOfParts + bucket;
  return parts.map((part) => ({ ...part, day, ownDay, statementId, number, bucket, series }));
}

/**
 * A notification supplies the parts of the only batch entry with its reference and amount within
 * seven days. The batch entry must have no parts and no decision. Several notifications may have
 * the parts: those with most ids count.
 *
 * @param reported parts in reports and notifications, by the key of their batch entry
 * @returns the lines that replace the batch entry, or undefined
 */
export function suppliedParts(
  line: DayLine,
  reported: ReadonlyMap<string, readonly DayLine[]>,
  near: NearLines,
): DayLine[] | undefined {
  if (line.batchCents === null || line.isPart || !isOnly(line, near)) return undefined;
  const groups = groupsFor(line, reported)
    .map(([key, group]) => ({ key, group, ids: group.filter(({ ids }) => ids !== '').length }))
    .sort((one, other) => other.ids - one.ids || (one.key < other.key ? -1 : 1));
  return groups[0] && inPlaceOf(line, groups[0].group);
}

/**
 * The parts that replaced the batch entry when its month was closed, from any notification that has
 * them, also from one that was voided since.
 *
 * @param contents of these parts, in order
 */
export function keptParts(
  line: DayLine,
  reported: ReadonlyMap<string, readonly DayLine[]>,
  contents: readonly string[],
): DayLine[] | undefined {
  const [found] = groupsFor(line, reported).filter(
    ([, group]) => group.map(({ content }) => content).join(' ') === contents.join(' '),
  );
  return found && inPlaceOf(line, found[1]);
}
