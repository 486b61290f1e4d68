import { DatabaseFailure } from '../../db/errors';
import { ServiceError } from '../../shared/errors';
import { groupBy } from '../../shared/group-by';
import type { EntryDecision } from './matching/class-source';
import { entriesOfClass } from './matching/entries-of-class';
import { type Known, type KnownContribution, returnKey, type StoredSearch } from './matching/match-entry';
import { findResetContributions } from './reset-contributions';
import type { ClassRows, EntryClassesStore, ReadClasses } from './entry-classes.store';
import type { StatedContributionsStore } from './stated-contributions.store';

const mostAttempts = 10;
const mostIds = 1_000;

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

const idsOf = ({ exact, normalized, attached = [], repaired }: StoredSearch): string[] =>
  [exact, normalized, attached, repaired].flat();

async function contributionsOf(
  stated: StatedContributionsStore,
  viewer: number,
  ids: readonly string[],
  environments: Map<string, number>,
): Promise<Map<string, KnownContribution>> {
  const known = new Map<string, KnownContribution>();
  for (const [tag, ofTag] of groupBy([...new Set(ids)], (id) => id.slice(0, 4))) {
    const environmentId = environments.get(tag);
    if (environmentId === undefined) continue;
    for (let start = 0; start < ofTag.length; start += mostIds) {
      const part = ofTag.slice(start, start + mostIds);
      for (const found of await stated.findContributions(viewer, environmentId, part)) {
        known.set(found.transactionId, found);
      }
    }
  }
  return known;
}

/** The recorded returns of contributions that debits of a part of their amount may be. */
async function returnsOf(
  stated: StatedContributionsStore,
  classes: readonly ClassRows[],
  contributions: ReadonlyMap<string, KnownContribution>,
): Promise<Set<string>> {
  const debits = classes
    .flatMap(({ sources }) => sources)
    .filter((one) => one.hasReference && one.direction !== one.accountDirection);
  const references = [...new Set(debits.flatMap(({ bankReference }) => bankReference ?? []))];
  if (references.length === 0) return new Set();
  const named = new Set(debits.flatMap(({ search }) => idsOf(search)));
  const returned = [...named].flatMap((id) => contributions.get(id) ?? []);
  const keys = new Set<string>();
  for (const [environmentId, ofOne] of groupBy(returned, (one) => String(one.environmentId))) {
    const ids = ofOne.map(({ transactionId }) => transactionId);
    const found = await stated.findReturns(Number(environmentId), ids, references);
    for (const { transactionId, cents, reference } of found) {
      keys.add(returnKey(transactionId, cents, reference));
    }
  }
  return keys;
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
  async function knownTo(
    viewer: number,
    { environments, classes: read }: Pick<ReadClasses, 'environments' | 'classes'>,
  ): Promise<Known> {
    const classes = [...read.values()];
    const searches = classes.flatMap(({ sources }) => sources.map(({ search }) => search));
    const references = [...new Set(searches.flatMap(({ identifiers }) => identifiers))];
    const lines = references.length > 0 ? await stated.settlementLines(viewer, references) : [];
    const ids = [
      ...searches.flatMap(idsOf),
      ...classes.flatMap(({ decisions }) =>
        decisions.flatMap(({ allocations }) => allocations.map(({ transactionId }) => transactionId)),
      ),
      ...lines.map((line) => line.transaction_id),
    ];
    const contributions = await contributionsOf(stated, viewer, ids, environments);
    const settled =
      references.length === 0
        ? []
        : (
            await Promise.all(
              [...environments.values()].map((id) => stated.findSettled(viewer, id, references)),
            )
          ).flat();
    const settlements = new Map<string, KnownContribution[][]>();
    const add = (reference: string, group: KnownContribution[]): void => {
      settlements.set(reference, [...(settlements.get(reference) ?? []), group]);
    };
    for (const group of groupBy(settled, (one) => `${one.completedBy} ${one.reference}`).values()) {
      add(group[0]?.reference ?? '', group);
    }
    const missing = ids.filter((id) => !contributions.has(id));
    const reset = await findResetContributions(stated, viewer, missing, references);
    for (const [reference, listed] of groupBy(lines, (line) => line.reference)) {
      if (listed.every((line) => reset.ids.has(line.transaction_id))) {
        reset.references.add(reference);
        continue;
      }
      const group = listed.flatMap((line) => {
        const contribution = contributions.get(line.transaction_id);
        return contribution?.amountCents === BigInt(line.amount_cents) ? [contribution] : [];
      });
      // A list does not explain a transfer if it has an unknown contribution or a different amount.
      add(reference, group.length === listed.length ? group : []);
    }
    const returns = await returnsOf(stated, classes, contributions);
    return { tags: new Set(environments.keys()), contributions, settlements, returns, reset };
  }

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
