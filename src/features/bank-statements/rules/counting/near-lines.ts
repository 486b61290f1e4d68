import { signedCents } from '@contribution-service/bank-files';

import { dayMs } from '../../../../shared/clock';
import { groupBy } from '../../../../shared/group-by';
import type { StatementHead, StatementLine } from '../reading/statement';

/** A line with its statement and its place among the lines of its day. */
export interface DayLine extends StatementLine {
  statement: Pick<StatementHead, 'digest' | 'format' | 'isFinal'>;
  /** Lines are judged in buckets. */
  bucket: number;
  /** Equal lines in several buckets are of several series, each with numbers of its own. */
  series: number;
}

/** Equal booked lines of one statement of a near day, for comparison across days: see `isMoney`. */
export interface NearLine extends Pick<
  StatementLine,
  'day' | 'direction' | 'cents' | 'reference' | 'ids' | 'digest' | 'content' | 'batchCents' | 'isPart'
> {
  /**
   * `additional`: only a version that is not chosen has it. `reported`: of a report or
   * notification.
   */
  role: 'chosen' | 'additional' | 'reported';
  /** Whether a closed month counts it, so that nothing can take its place. */
  isKept: boolean;
  /**
   * The key of the chosen version of its day. Null if the day has none, or none with balances for a
   * reported line.
   */
  version: string | null;
  format: StatementHead['format'];
  /** See `statementKey`. */
  statement: string;
  count: number;
}

/**
 * The statement of a line. Equal statements have different keys, so that only one of them counts.
 */
export const statementKey = ({ statement, statementId }: DayLine): string =>
  `${statement.digest} ${statementId}`;

type Money = Pick<StatementLine, 'reference' | 'digest' | 'direction' | 'cents'>;

/** The reference and signed amount of a line. Without a reference, its digest. */
export const moneyKey = ({ reference, digest, direction, cents }: Money): string =>
  `${reference ?? digest} ${signedCents(direction, cents)}`;

/** Equal lines share a bucket, because they may be the same in two versions of their day. */
export const bucketKey = ({ day, ...line }: Money & Pick<StatementLine, 'day'>): string =>
  `${day} ${signedCents(line.direction, line.cents)} ${line.digest} ${line.reference ?? ''}`;

/** The same of the batch entry, if there is one. */
export const batchKey = (line: Money & Pick<StatementLine, 'batchCents'>): string =>
  line.batchCents === null ? moneyKey(line) : `${line.reference} ${line.batchCents}`;

/** Whether two days are within seven days, in which payments are compared. */
export const isNear = (one: string, other: string, days = 7): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) <= days * dayMs;

/** The near lines of some lines. */
export interface NearLines {
  /** Those of chosen versions, by the key of their amount or of their batch entry. */
  chosen(key: string): readonly NearLine[];
  /** Those of reports of days without a version, by the key of their batch entry. */
  reported(key: string): readonly NearLine[];
  /** Those that closed months count, with the amount or the batch entry of a line. */
  kept(line: StatementLine): readonly NearLine[];
  /** Finds the answer to a question that many lines share once. */
  once<Answer>(question: string, find: () => Answer): Answer;
}

const keysOf = (line: Money & Pick<StatementLine, 'batchCents'>): string[] => [
  ...new Set([moneyKey(line), batchKey(line)]),
];

export function indexNearLines(lines: readonly NearLine[]): NearLines {
  const byKeys = (some: readonly NearLine[]): Map<string, NearLine[]> => {
    const keyed = some.flatMap((line) => keysOf(line).map((key) => ({ key, line })));
    return new Map(
      [...groupBy(keyed, ({ key }) => key)].map(([key, of]) => [key, of.map(({ line }) => line)]),
    );
  };
  const chosen = byKeys(lines.filter(({ role }) => role === 'chosen'));
  const kept = byKeys(lines.filter(({ isKept }) => isKept));
  const reported = groupBy(
    lines.filter(({ role, version }) => role === 'reported' && version === null),
    batchKey,
  );
  const answers = new Map<string, unknown>();
  return {
    chosen: (key) => chosen.get(key) ?? [],
    reported: (key) => reported.get(key) ?? [],
    kept: (line) => keysOf(line).flatMap((key) => kept.get(key) ?? []),
    once<Answer>(question: string, find: () => Answer): Answer {
      if (!answers.has(question)) answers.set(question, find());
      return answers.get(question) as Answer;
    },
  };
}
