import {
  chooseParts,
  type PartsUse,
  type StatedParts,
  statementKey,
} from '../../src/features/statements/matching/choose-parts';
import type { StatementFile } from '@contribution-service/bank-files';

import { type FinalStatement, isCovered } from '../../src/features/statements/matching/covered-lines';
import type { ClassSource } from '../../src/features/statements/matching/class-source';
import {
  type ClassFacts,
  entriesOfClass,
  type ReconciledEntry,
} from '../../src/features/statements/matching/entries-of-class';
import {
  type SearchContext,
  type SourceEntry,
  sourceEntriesOf,
} from '../../src/features/statements/matching/source-entries';
import { timeOf } from '../../src/features/statements/matching/statement-time';
import { groupBy } from '../../src/shared/group-by';

type Stored = ClassSource & Pick<SourceEntry, 'digest' | 'parentDigest'>;

/** The lines of a file in the form in which they are stored. All files are of one account. */
function storedLines(file: StatementFile, fileId: string, context: SearchContext): Stored[] {
  const times = file.statements.map(timeOf);
  return [...sourceEntriesOf(file, times, context).entries].map((source) => {
    const time = times[source.statementNumber - 1]!;
    const statement = file.statements[source.statementNumber - 1]!;
    return {
      ...source,
      fileId,
      format: file.format,
      startsAtMs: time.startsAtMs,
      endsAtMs: time.endsAtMs,
      isTimeKnown: time.isKnown,
      madeAt: statement.madeAt,
      isFinal: statement.kind === 'final',
      isUnbalanced: statement.balance === 'unbalanced',
      isCovered: false,
      isDoubtful: false,
      startBalance: null,
      use: 'certain',
      accountId: 'account',
      accountDirection: 'credit',
    };
  });
}

function partsOf(lines: readonly Stored[]): StatedParts {
  const first = lines[0]!;
  const named = lines.flatMap(({ search }) => search.exact[0] ?? search.normalized[0] ?? []);
  const sum = lines.reduce(
    (total, { direction, amountCents }) => total + (direction === 'credit' ? 1n : -1n) * (amountCents ?? 0n),
    0n,
  );
  return {
    ...first,
    isWhole: first.parentDigest === null,
    isTrusted: !first.isUnbalanced && (first.isFinal || first.hasReference),
    ids: [...new Set(named)].sort().slice(0, 20),
    identifiers: [],
    key: lines
      .map(({ digest }) => digest)
      .sort()
      .join(),
    cents: sum < 0n ? -sum : sum,
    namedParts: named.length,
    lines: lines.length,
  };
}

/** Decides which lines count, by the same rules as the SQL statements. */
function addUses(lines: readonly Stored[]): void {
  const ofParents = groupBy(
    lines.filter(({ parentDigest }) => parentDigest !== null),
    ({ parentDigest }) => parentDigest ?? '',
  );
  const ofClasses = groupBy(
    lines.filter(({ parentDigest }) => parentDigest === null),
    ({ digest }) => digest,
  );
  const keyOf = ({ fileId, statementNumber }: Stored): string => statementKey(fileId, statementNumber);
  const isOfDay = (line: Stored, part: Stored): boolean =>
    part.format !== line.format ||
    (part.bookingDate ?? line.bookingDate) === (line.bookingDate ?? part.bookingDate);
  for (const [parent, parts] of ofParents) {
    const wholes = ofClasses.get(parent) ?? [];
    const stated = [parts, wholes].flatMap((of) => [...groupBy(of, keyOf).values()].map(partsOf));
    const { parts: uses } = chooseParts(stated, false);
    for (const part of parts) {
      Object.assign(part, uses.get(keyOf(part)) satisfies PartsUse | undefined);
    }
    for (const whole of wholes) if (parts.some((part) => isOfDay(whole, part))) whole.use = 'none';
  }
}

/** The entries of these files, without a database. */
export function derivedEntries(
  files: readonly StatementFile[],
  known: ClassFacts['known'],
  context: SearchContext,
): ReconciledEntry[] {
  const lines = files.flatMap((file, at) => storedLines(file, `file ${at}`, context));
  const final = files.flatMap((file) =>
    file.statements
      .filter(({ kind, balance }) => kind === 'final' && balance !== 'unbalanced')
      .map((statement): FinalStatement => ({
        ...timeOf(statement),
        madeAt: statement.madeAt,
        accountId: 'account',
        format: file.format,
      })),
  );
  for (const line of lines) line.isCovered = isCovered(line, final);
  addUses(lines);
  return [...groupBy(lines, ({ digest }) => digest)].flatMap(([key, ofClass]) =>
    entriesOfClass(key, ofClass, { known, decisions: new Map() }),
  );
}
