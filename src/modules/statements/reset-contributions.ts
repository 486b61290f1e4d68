import type { StatedContributionsStore } from './stated-contributions.store';

const mostIds = 1_000;

/**
 * Finds the contributions that the viewer, a bank, saw until their company reset its test
 * environment. An operator deletes them a week later. Production has no resets.
 *
 * @param ids the ids that no visible contribution has
 */
export async function findResetContributions(
  stated: Pick<StatedContributionsStore, 'resetEnvironments' | 'findContributions' | 'findSettled'>,
  viewer: number,
  ids: readonly string[],
  references: readonly string[],
): Promise<{ ids: Set<string>; references: Set<string> }> {
  const found = { ids: new Set<string>(), references: new Set<string>() };
  if (ids.length === 0 && references.length === 0) return found;
  for (const { environment_id: environmentId, transaction_tag: tag } of await stated.resetEnvironments(
    viewer,
  )) {
    const ofTag = [...new Set(ids)].filter((id) => id.startsWith(tag));
    for (let start = 0; start < ofTag.length; start += mostIds) {
      const part = ofTag.slice(start, start + mostIds);
      for (const { transactionId } of await stated.findContributions(viewer, environmentId, part))
        found.ids.add(transactionId);
    }
    if (references.length === 0) continue;
    for (const { reference } of await stated.findSettled(viewer, environmentId, references))
      found.references.add(reference);
  }
  return found;
}
