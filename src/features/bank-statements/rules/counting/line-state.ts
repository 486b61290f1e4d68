import { groupBy } from '../../../../shared/group-by';
import { compareNumbers, rankOf, type StatementHead, type StatementLine } from '../reading/statement';
import type { LineException } from '../versions/choose-version';
import type { DayVersion } from '../versions/day-version';
import { batchKey, isNear, moneyKey, type NearLine, type NearLines } from './near-lines';

/**
 * Why a line is proposed. `in_other_version`: only a version that is not chosen has it.
 * `in_closed_month`: a closed month counts the same payment, and it may have moved.
 */
export type ProposalReason =
  | 'two_versions'
  | 'in_other_version'
  | 'statement_incomplete'
  | 'possible_repeat'
  | 'in_better_statement'
  | 'in_closed_month'
  | 'no_bank_reference';

/** Whether a line counts. `by` is the version or the statement that has it instead. */
export type LineState =
  { state: 'counted' } | { state: 'proposed'; reason: ProposalReason } | { state: 'replaced'; by: string };

/** The chosen version of a day. */
export interface ChosenVersion extends Pick<DayVersion, 'key' | 'problem' | 'statementIds'> {
  format: StatementHead['format'];
  /** Whether it starts with the closing balance of the day before. */
  isContinued: boolean;
  /** Whether it has both balances, so that it has all lines of its day. */
  hasBalances: boolean;
}

const counted: LineState = { state: 'counted' };
const proposed = (reason: ProposalReason): LineState => ({ state: 'proposed', reason });

/**
 * Lines of the chosen version count if it adds up. A closed month may have a day without a version,
 * although statements state it. A moved line whose own day has it too counts only if the balances
 * follow. A line is proposed if a better format has it on another day, within seven days, or if a
 * closed month counts it there in a worse one, or in any if no balance shows that both are true.
 */
export function stateOfLine(
  line: StatementLine,
  version: ChosenVersion | null,
  near: NearLines,
  exception?: LineException,
): LineState {
  if (exception === 'additional' || !version) return proposed('in_other_version');
  if (exception === 'repeated' || !version.statementIds.has(line.statementId)) {
    return { state: 'replaced', by: version.key };
  }
  const others = near.chosen(moneyKey(line));
  const isBetter = ({ day, format }: NearLine): boolean =>
    rankOf(format) < rankOf(version.format) && isNear(day, line.day);
  const isKept = ({ day, format }: NearLine): boolean =>
    (!version.isContinued || rankOf(format) > rankOf(version.format)) && isNear(day, line.day);
  if (version.problem !== null) return proposed('statement_incomplete');
  if (exception === 'doubtful') return proposed('two_versions');
  if (line.reference !== null && others.some(isBetter)) return proposed('in_better_statement');
  if (line.reference !== null && near.kept(line).some(isKept)) return proposed('in_closed_month');
  const isRepeat = !version.isContinued && others.some(({ day }) => day === line.ownDay);
  return isRepeat ? proposed('possible_repeat') : counted;
}

/** The report or notification that has a payment best: with parts, in the better format. */
function bestStatement(lines: readonly NearLine[]): string | undefined {
  const valuesOf = (of: readonly NearLine[]): number[] => {
    const count = (some: readonly NearLine[]): number => some.reduce((sum, line) => sum + line.count, 0);
    const rank = Math.min(...of.map(({ format }) => rankOf(format)));
    const [parts, named] = [of.filter(({ isPart }) => isPart), of.filter(({ ids }) => ids !== '')];
    return [count(parts), -rank, count(of), count(named)];
  };
  const ranked = [...groupBy(lines, ({ statement }) => statement)].sort(
    ([one, ofOne], [other, ofOther]) =>
      compareNumbers(valuesOf(ofOne), valuesOf(ofOther)) || (one < other ? -1 : 1),
  );
  return ranked[0]?.[0];
}

/** The version or statement that has a payment, and the ids that its lines name. */
interface Holder {
  by: string;
  ids: ReadonlySet<string>;
}

const holderOf = (by: string | undefined, lines: readonly NearLine[]): Holder | undefined =>
  by === undefined ? by : { by, ids: new Set(lines.flatMap(({ ids }) => ids.split(' '))) };

/** The first version within seven days of a day that has this money. */
const versionNear = (day: string, key: string, near: NearLines): Holder | undefined =>
  near.once(`version ${day} ${key}`, () => {
    const chosen = near.chosen(key).filter((other) => isNear(other.day, day));
    return holderOf(chosen.flatMap(({ version }) => version ?? []).sort()[0], chosen);
  });

function bestHolder(lines: readonly NearLine[]): Holder | undefined {
  const best = bestStatement(lines);
  return holderOf(
    best,
    lines.filter(({ statement }) => statement === best),
  );
}

/** A line is not replaced by lines that all name other contributions. A person decides. */
const stateBeside = ({ ids }: Pick<NearLine, 'ids'>, { by, ids: others }: Holder): LineState =>
  ids === '' || others.has('') || ids.split(' ').some((id) => others.has(id))
    ? { state: 'replaced', by }
    : proposed('possible_repeat');

/**
 * A line of a report or notification counts once per reference and amount, if its day has no
 * version with balances and no version within seven days has it. Reports come before
 * notifications, also those of the day before and after, because some state days in UTC. Without a
 * reference, or if the others name other contributions, it is proposed.
 */
export function stateOfReported(
  line: Omit<NearLine, 'count' | 'role' | 'isKept'>,
  near: NearLines,
): LineState {
  const { day, format } = line;
  if (line.version !== null) return { state: 'replaced', by: line.version };
  const key = batchKey(line);
  const version = versionNear(day, moneyKey(line), near) ?? versionNear(day, key, near);
  const beside = version ? stateBeside(line, version) : counted;
  if (beside.state === 'replaced') return beside;
  const ofDay = (): NearLine[] => near.reported(key).filter((other) => other.day === day);
  const best = near.once(`best ${day} ${key}`, () => bestHolder(ofDay()));
  if (best && best.by !== line.statement) {
    const state = stateBeside(line, best);
    if (state.state === 'replaced') return state;
    const equal = near.once(`equal ${day} ${key}`, () => groupBy(ofDay(), ({ ids }) => ids)).get(line.ids);
    const own = near.once(`own ${day} ${key} ${line.ids}`, () => bestStatement(equal ?? []));
    return own === undefined || own === line.statement ? state : { state: 'replaced', by: own };
  }
  if (line.reference === null) return proposed('no_bank_reference');
  const better = near.once(`better ${day} ${format} ${key}`, () =>
    bestHolder(
      near
        .reported(key)
        .filter(
          (other) => other.day !== day && isNear(other.day, day, 1) && rankOf(other.format) < rankOf(format),
        ),
    ),
  );
  return better ? stateBeside(line, better) : beside;
}
