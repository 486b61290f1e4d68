import { DatabaseFailure } from '../../db/errors';
import { ServiceError } from '../../shared/errors';
import { groupBy } from '../../shared/group-by';
import type { EntryDecision } from './matching/class-source';
import { entriesOfClass } from './matching/entries-of-class';
import { createKnownTo } from './known-contributions';
import type { Known } from './matching/match-entry';
import type { ClassRows, EntryClassesStore, ReadClasses } from './entry-classes.store';
import type { StatedContributionsStore } from './stated-contributions.store';

const mostAttempts = 10;

/** Decisions that determine the allocations of an entry. The others only close the entry. */
const allocating: ReadonlySet<EntryDecision['action']> = new Set(['link', 'split', 'unlink', 'ignore']);
const closing: ReadonlySet<EntryDecision['action']> = new Set(['ignore', 'accept_difference', 'complete']);

function decisionsOf(rows: ClassRows['decisions']) {
  return new Map(
    [...groupBy(rows, ({ entryId }) => entryId)].map(([entryId, decisions]) => [
      entryId,
      {
        last: decisions.findLast(({ action }) => allocating.has(action)),
        // A later decision on the allocations opens the entry again.
        isDecided: closing.has(decisions.at(-1)?.action ?? 'link'),
        lineKey: decisions.at(-1)?.lineKey ?? undefined,
      },
    ]),
  );
}

/** During a rolling update, a process of the version before cannot compare these entries. */
export const newerRules = (): ServiceError =>
  new ServiceError('overloaded', {
    detail:
      'A newer version of the service compares your entries, and this process is being replaced. Wait Retry-After seconds, then send the same request again.',
  });

/**
 * Derives the entries of classes from all stored lines and decisions, and stores them.
 *
 * @throws ServiceError overloaded, if a process with newer rules has stored results
 */
export type ReconcileClasses = (viewer: number, classKeys: readonly string[]) => Promise<void>;

export function createReconcileClasses(
  store: EntryClassesStore,
  stated: StatedContributionsStore,
): ReconcileClasses {
  const knownOf = createKnownTo(stated);

  const knownTo = (
    viewer: number,
    { environments, classes }: Pick<ReadClasses, 'environments' | 'classes'>,
  ): Promise<Known> => {
    const rows = [...classes.values()];
    const sources = rows.flatMap((one) => one.sources);
    return knownOf(viewer, environments, {
      searches: sources.map(({ search }) => search),
      decided: rows.flatMap(({ decisions }) =>
        decisions.flatMap(({ allocations }) => allocations.map(({ transactionId }) => transactionId)),
      ),
      returns: sources
        .filter((one) => one.hasReference && one.direction !== one.accountDirection)
        .map(({ search, bankReference }) => ({ search, reference: bankReference })),
    });
  };

  const compare: ReconcileClasses = async (viewer, classKeys) => {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const { basis, hasNewerRules, ...read } = await store.readClasses(viewer, classKeys);
      if (hasNewerRules) throw newerRules();
      const known = await knownTo(viewer, read);
      const entries = [...read.classes].flatMap(([key, { sources, decisions }]) =>
        entriesOfClass(key, sources, { known, decisions: decisionsOf(decisions) }),
      );
      if (await store.put(viewer, [...read.classes.keys()], basis, entries)) return;
    }
    throw new Error('the lines of the statements kept changing');
  };
  return (viewer, classKeys) => inParts(compare, viewer, classKeys);
}

/**
 * Compares the halves of a set that takes too long. One entry can pay thousands of contributions,
 * so a set of a few entries can exceed the time limit of a statement.
 */
async function inParts(
  compare: ReconcileClasses,
  viewer: number,
  classKeys: readonly string[],
): Promise<void> {
  try {
    await compare(viewer, classKeys);
  } catch (error) {
    const isTooLarge = error instanceof DatabaseFailure && error.reason === 'timeout';
    if (!isTooLarge || classKeys.length < 2) throw error;
    const middle = classKeys.length >> 1;
    await inParts(compare, viewer, classKeys.slice(0, middle));
    await inParts(compare, viewer, classKeys.slice(middle));
  }
}
