import { groupBy } from '../../../shared/group-by';
import { type Known, type KnownContribution, returnKey, type StoredSearch } from './match-entry';
import { findResetContributions } from './reset-contributions';
import type { StatedContributionsStore } from './stated-contributions.store';

const mostIds = 1_000;

/** What lines and decisions name. */
export interface Named {
  searches: readonly StoredSearch[];
  /** The ids in decisions. */
  decided: readonly string[];
  /** Lines that may be returns, with the bank's references. */
  returns: readonly { search: StoredSearch; reference: string | null }[];
}

const idsOf = ({ exact, normalized, attached = [], repaired }: StoredSearch): string[] =>
  [exact, normalized, attached, repaired].flat();

/** Those of the contributions that the viewer may see, by id. */
export async function contributionsOf(
  stated: Pick<StatedContributionsStore, 'findContributions'>,
  viewer: number,
  ids: readonly string[],
  environments: ReadonlyMap<string, number>,
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
  debits: Named['returns'],
  contributions: ReadonlyMap<string, KnownContribution>,
): Promise<Set<string>> {
  const references = [...new Set(debits.flatMap(({ reference }) => reference ?? []))];
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

/**
 * Reads what the database knows of the ids and references that lines name.
 *
 * @param environments those whose contributions the viewer may see, by their tags
 */
export type KnownTo = (
  viewer: number,
  environments: ReadonlyMap<string, number>,
  named: Named,
) => Promise<Known>;

export function createKnownTo(stated: StatedContributionsStore): KnownTo {
  return async (viewer, environments, { searches, decided, returns: debits }) => {
    const references = [...new Set(searches.flatMap(({ identifiers }) => identifiers))];
    const lines = references.length > 0 ? await stated.settlementLines(viewer, references) : [];
    const ids = [...searches.flatMap(idsOf), ...decided, ...lines.map((line) => line.transaction_id)];
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
    const returns = await returnsOf(stated, debits, contributions);
    return { tags: new Set(environments.keys()), contributions, settlements, returns, reset };
  };
}
