import { hash } from 'node:crypto';

import {
  changeOf,
  compareNumbers,
  compareTimes,
  type ComparedLine,
  type StatementDay,
  type StatementHead,
} from '../reading/statement';
import { closingOf, differ, openingOf, problemOf, type StatementProblem } from './join-pages';

/** Statements of one day that follow each other: one version of the day. */
export interface DayVersion {
  /** Equal if its statements have equal content. An answer names it. */
  key: string;
  /** Whether it has the lines of several versions. */
  isJoined: boolean;
  chain: readonly StatementDay[];
  first: StatementHead;
  last: StatementHead;
  statementIds: ReadonlySet<string>;
  lines: readonly ComparedLine[];
  openingCents: bigint | null;
  closingCents: bigint | null;
  changeCents: bigint;
  problem: StatementProblem | null;
}

/** A version as a person sees it who is asked to choose. Amounts are in cents. */
export interface VersionChoice extends Pick<DayVersion, 'openingCents' | 'closingCents' | 'changeCents'> {
  version: string;
  statementIds: string[];
  /** Null if its lines were not needed for comparison. */
  lines: number | null;
}

export const versionChoiceOf = (version: DayVersion): VersionChoice => ({
  ...{ version: version.key, statementIds: [...version.statementIds] },
  lines: version.lines.length === 0 ? null : version.lines.length,
  openingCents: version.openingCents,
  closingCents: version.closingCents,
  changeCents: version.changeCents,
});

export const hasBalances = ({ openingCents, closingCents }: DayVersion): boolean =>
  openingCents !== null && closingCents !== null;

export type Versions = readonly [DayVersion, ...DayVersion[]];

const keyOf = (kind: string, parts: readonly string[]): string =>
  hash('sha256', [kind, ...parts].join(' ')).slice(0, 32);

export function versionOf(first: StatementDay, others: readonly StatementDay[]): DayVersion {
  const [chain, last] = [[first, ...others], others.at(-1) ?? first];
  return {
    key: keyOf(
      'one',
      chain.map(({ statement }) => statement.digest),
    ),
    isJoined: false,
    ...{ chain, first: first.statement, last: last.statement },
    statementIds: new Set(chain.flatMap(({ statementIds }) => statementIds)),
    lines: chain.flatMap(({ lines }) => lines),
    ...{ openingCents: openingOf(first), closingCents: closingOf(last) },
    changeCents: chain.reduce((sum, { changeCents }) => sum + changeCents, 0n),
    problem: chain.map(({ statement }) => problemOf(statement)).find((problem) => problem !== null) ?? null,
  };
}

/** All lines of the versions, each once. If a closing balance is stated, it follows from them. */
export function joinedVersion(versions: Versions, additional: readonly ComparedLine[]): DayVersion {
  const [first] = versions;
  const changeCents = first.changeCents + changeOf(additional);
  return {
    ...{ ...first, isJoined: true, changeCents },
    key: keyOf(
      'all',
      versions.map(({ key }) => key),
    ),
    chain: versions.flatMap(({ chain }) => chain),
    statementIds: new Set(versions.flatMap(({ statementIds }) => [...statementIds])),
    lines: [...first.lines, ...additional],
    closingCents:
      first.openingCents === null || first.closingCents === null ? null : first.openingCents + changeCents,
  };
}

const madeAtOf = ({ chain }: DayVersion): string | null =>
  chain
    .flatMap(({ statement: { madeAt } }) => madeAt ?? [])
    .sort()
    .at(-1) ?? null;

/** Puts the newest version first. Versions of unknown age have a fixed order. */
export function compareAge(one: DayVersion, other: DayVersion): number {
  const [a, b] = [madeAtOf(one) ?? '', madeAtOf(other) ?? ''];
  if (a !== b) return a < b ? 1 : -1;
  return Number((other.last.number ?? 0n) - (one.last.number ?? 0n)) || (one.key < other.key ? -1 : 1);
}

/** Puts the version first that states more: balances, then references, ids and parts. */
export function compareRichness(one: DayVersion, other: DayVersion): number {
  const of = ({ problem, closingCents, lines }: DayVersion): number[] => [
    Number(problem === null),
    Number(closingCents !== null),
    lines.filter(({ reference }) => reference !== null).length,
    lines.filter(({ ids }) => ids !== '').length,
    lines.filter(({ isPart }) => isPart).length,
  ];
  return compareNumbers(of(one), of(other)) || compareAge(one, other);
}

/** Whether a version is newer, by its creation time or its number. False if neither shows it. */
function isNewer(one: DayVersion, other: DayVersion): boolean {
  const byTime = compareTimes(madeAtOf(one), madeAtOf(other)) ?? 0;
  const [number, otherNumber] = [one.last.number, other.last.number];
  return byTime !== 0 ? byTime > 0 : number !== null && otherNumber !== null && number > otherNumber;
}

/** The version that is newer than all others. */
export const newestOf = (versions: Versions): DayVersion | undefined =>
  versions.find((one) => versions.every((other) => other === one || isNewer(one, other)));

/**
 * Whether a version with fewer lines is an earlier state of the other: it is a part of the day, has
 * no closing balance, a lower number, or was made earlier. Without balances, the other one is none
 * of a version with balances or of another format.
 */
export function isEarlier(small: DayVersion, big: DayVersion): boolean {
  if (small.first.startMs > big.first.startMs || small.last.endMs < big.last.endMs) return true;
  const { openingCents, last } = small;
  const areUnproven = small.first.format !== big.first.format || hasBalances(small);
  if (!hasBalances(big) && areUnproven) return false;
  if (differ(openingCents, big.openingCents)) return false;
  if (small.closingCents === null) return !isNewer(small, big);
  const [number, numberOfBig] = [last.number, big.last.number];
  if (number === null || numberOfBig === null || number === numberOfBig) return isNewer(big, small);
  return number < numberOfBig;
}
