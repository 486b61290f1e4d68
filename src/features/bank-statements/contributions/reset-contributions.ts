import { groupBy } from '../../../shared/group-by';
import type { StatedContributionsStore } from './stated-contributions.store';

const mostIds = 1_000;

/**
 * Finds the contributions that the viewer, a bank, saw until their company reset its test
 * environment. An operator deletes them a week later. Production has no resets.
 *
 * @param ids the ids that no visible contribution has
 */
export async function findResetContributions(
  stated: Pick<StatedContributionsStore, 'resetEnvironments' | 'findResetIds' | 'findResetReferences'>,
  viewer: number,
  ids: readonly string[],
  references: readonly string[],
): Promise<{ ids: Set<string>; references: Set<string> }> {
  const found = { ids: new Set<string>(), references: new Set<string>() };
  if (ids.length === 0 && references.length === 0) return found;
  const environments = await stated.resetEnvironments(viewer);
  const numbersOf = (some: typeof environments): number[] => some.map((one) => one.environment_id);
  const idsByTag = groupBy([...new Set(ids)], (id) => id.slice(0, 4));
  for (const [tag, ofTag] of groupBy(environments, (one) => one.transaction_tag)) {
    const named = idsByTag.get(tag) ?? [];
    for (let start = 0; start < named.length; start += mostIds) {
      const part = named.slice(start, start + mostIds);
      for (const id of await stated.findResetIds(viewer, numbersOf(ofTag), part)) found.ids.add(id);
    }
  }
  if (environments.length > 0 && references.length > 0) {
    const reset = await stated.findResetReferences(viewer, numbersOf(environments), references);
    for (const reference of reset) found.references.add(reference);
  }
  return found;
}
