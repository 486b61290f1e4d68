import { groupBy } from '../../../../shared/group-by';
import { type ComparedLine, rankOf, type StatementDay } from '../reading/statement';
import { chainsOf, mostVersions, newestVersions } from './chains';
import { linesWithout } from './compare-lines';
import {
  compareAge,
  compareRichness,
  type DayVersion,
  hasBalances,
  isEarlier,
  joinedVersion,
  newestOf,
  type VersionChoice,
  versionChoiceOf,
  versionOf,
  type Versions,
} from './day-version';
import { joinPages, type StatementProblem } from './join-pages';

/**
 * A person's answer to the question of a day. It ends when there is a version not among the known
 * ones.
 */
export type VersionAnswer =
  | { kind: 'version'; version: string; among: readonly string[] }
  | { kind: 'all_lines'; among: readonly string[] }
  | { kind: 'use_anyway'; version: string };

export interface Answers {
  /** The answers for the day, the newest last. */
  day: readonly VersionAnswer[];
  /** The answer that is remembered for the account. */
  remembered: 'newest' | 'all_lines' | null;
}

export interface VersionQuestion {
  kind: 'two_versions' | StatementProblem | 'changed_after_close';
  /** The keys of the versions to choose from, the newest first. */
  versions: readonly string[];
}

/**
 * How a line differs from the rest of its statement. `doubtful`: another version lacks it.
 * `additional`: only a version that is not chosen has it. `repeated`: all lines count once, and
 * another version has it too.
 */
export type LineException = 'doubtful' | 'additional' | 'repeated';

/** What one account-day is. The lines of the chosen version count, except for `exceptions`. */
export interface DayChoice {
  version: DayVersion;
  /** By `lineRef`. */
  exceptions: ReadonlyMap<string, LineException>;
  question: VersionQuestion | null;
  /** The versions of the question, in its order. At most `mostVersions`. */
  choices: readonly VersionChoice[];
}

export const lineRef = ({ statementId, number }: Pick<ComparedLine, 'statementId' | 'number'>): string =>
  `${statementId} ${number}`;

type Marked = readonly [string, LineException][];

const marked = (lines: readonly ComparedLine[], as: LineException): Marked =>
  lines.map((line) => [lineRef(line), as] as const);
const chosen = (version: DayVersion): DayChoice => ({
  ...{ version, exceptions: new Map(), question: null, choices: [] },
});

/** The lines that the first version lacks, each once. */
const additionalLines = ([first, ...others]: Versions): ComparedLine[] =>
  others.reduce<ComparedLine[]>(
    (found, { lines }) => [...found, ...linesWithout(lines, [...first.lines, ...found])],
    [],
  );

function allLines(versions: Versions): DayChoice {
  const additional = new Set(additionalLines(versions));
  const [, ...others] = versions;
  const repeated = others.flatMap(({ lines }) => lines.filter((line) => !additional.has(line)));
  return {
    ...chosen(joinedVersion(versions, [...additional])),
    exceptions: new Map(marked(repeated, 'repeated')),
  };
}

/** The lines that all versions have count. The other lines are proposed: all lines of too many. */
function askFor(versions: Versions): DayChoice {
  const [first, ...others] = versions;
  const areMany = versions.length > mostVersions;
  const doubtful = areMany ? first.lines : others.flatMap(({ lines }) => linesWithout(first.lines, lines));
  const additional = areMany ? others.flatMap(({ lines }) => lines) : additionalLines(versions);
  const sorted = [...versions].sort(compareAge);
  return {
    version: first,
    exceptions: new Map([...marked(doubtful, 'doubtful'), ...marked(additional, 'additional')]),
    question: { kind: 'two_versions', versions: sorted.map(({ key }) => key) },
    choices: sorted.slice(0, mostVersions).map(versionChoiceOf),
  };
}

/** Whether a version contains the others, and they have the same lines or are earlier. */
const replaces = (big: DayVersion, versions: Versions): boolean =>
  versions.every(
    (small) =>
      linesWithout(small.lines, big.lines).length === 0 &&
      (linesWithout(big.lines, small.lines).length === 0 || isEarlier(small, big)),
  );

function chooseOfSeveral(versions: Versions, { day, remembered }: Answers): DayChoice {
  const answer = day.findLast(
    (one) => one.kind !== 'use_anyway' && versions.every(({ key }) => one.among.includes(key)),
  );
  if (answer?.kind === 'all_lines') return allLines(versions);
  const answered = versions.find(({ key }) => key === answer?.version);
  const best = versions.length > mostVersions ? undefined : versions.find((one) => replaces(one, versions));
  const version = answered ?? best ?? (remembered === 'newest' ? newestOf(versions) : undefined);
  if (version) return chosen(version);
  return remembered === 'all_lines' ? allLines(versions) : askFor(versions);
}

/** A version that does not add up does not count, unless a person wants to use it anyway. */
function checked(choice: DayChoice, { day }: Answers): DayChoice {
  const { version, question } = choice;
  if (version.problem === null) return choice;
  const isUsedAnyway = day.some((answer) => answer.kind === 'use_anyway' && answer.version === version.key);
  if (isUsedAnyway) return { ...choice, version: { ...version, problem: null } };
  if (question) return choice;
  return {
    ...choice,
    question: { kind: version.problem, versions: [version.key] },
    choices: [versionChoiceOf(version)],
  };
}

/** The choice of one format, and the versions that another format is compared with. */
interface FormatChoice {
  choice: DayChoice;
  candidates: readonly DayVersion[];
}

function chooseInFormat(days: readonly StatementDay[], answers: Answers): FormatChoice[] {
  const chains = chainsOf(newestVersions(days));
  const versions = chains.flatMap(([first, ...others]) => (first ? versionOf(first, others) : []));
  const [first, ...others] = versions.sort(compareRichness);
  if (!first) return [];
  const choice = checked(
    others.length === 0 ? chosen(first) : chooseOfSeveral([first, ...others], answers),
    answers,
  );
  return [{ choice, candidates: choice.question ? versions : [choice.version] }];
}

/**
 * The versions of other formats that the best one does not settle. If it has balances, they have
 * others. Otherwise, they have a line that it lacks.
 */
function disputed(best: DayVersion, versions: readonly DayVersion[]): DayVersion[] {
  if (!hasBalances(best)) return versions.filter(({ lines }) => linesWithout(lines, best.lines).length > 0);
  return versions.filter(
    (one) =>
      one.problem === null &&
      hasBalances(one) &&
      (one.openingCents !== best.openingCents || one.closingCents !== best.closingCents),
  );
}

/**
 * Chooses the version of one account-day: of the first format whose version has balances and adds
 * up, otherwise of the first that adds up. Formats with other balances are a question, and without
 * balances, so are formats with other lines. It never depends on the order of uploads.
 *
 * @param days what the final statements of the account state of the day. Their lines must be loaded
 *   if there are several statements
 * @returns undefined if no statement states the day
 */
export function chooseVersion(days: readonly StatementDay[], answers: Answers): DayChoice | undefined {
  const formats = groupBy(joinPages(days), ({ statement }) => statement.format).values();
  const found = [...formats].flatMap((ofFormat) => chooseInFormat(ofFormat, answers));
  const rank = ({ choice }: FormatChoice): number => rankOf(choice.version.first.format);
  found.sort((one, other) => rank(one) - rank(other));
  const choices = found.map(({ choice }) => choice);
  const whole = choices.filter(({ version }) => version.problem === null);
  const best = whole.find(({ version }) => hasBalances(version)) ?? whole[0];
  if (!best || best.question) return best ?? choices[0];
  const others = found.flatMap(({ choice, candidates }) => (choice === best ? [] : candidates));
  const versions = disputed(best.version, others);
  if (versions.length === 0) return best;
  return checked(chooseOfSeveral([best.version, ...versions], answers), answers);
}
