import { invalidRequest, type ServiceError } from '../../../shared/errors';
import type { Principal } from '../../../shared/scopes';
import type { Completion } from '../../../core/contributions/contribution';
import type { ContributionsService } from '../../../core/contributions/contributions.service';
import { readTransactionId } from '../../../core/contributions/written-transaction-id';
import type { EntryDecision } from '../statement.fields';
import { contributionsOf } from '../contributions/known-contributions';
import type { StatedContributionsStore } from '../contributions/stated-contributions.store';

export interface GivenDecision {
  action: EntryDecision['action'];
  allocations: readonly { transaction_id: string; amount: bigint }[];
  reason: string;
}

export const wrongAllocations = (detail: string): ServiceError =>
  invalidRequest([{ code: 'out_of_range', detail, pointer: '/allocations' }]);

export type Allocations = readonly { transactionId: string; cents: bigint }[];

/** @throws ServiceError invalid_request, or transaction_not_found for a wrong check character */
export function readAllocations(given: GivenDecision['allocations']): Allocations {
  const allocations = given.map(({ transaction_id: id, amount: cents }) => ({
    transactionId: readTransactionId(id).transactionId,
    cents,
  }));
  if (new Set(allocations.map(({ transactionId }) => transactionId)).size < allocations.length) {
    throw wrongAllocations('Send each contribution once.');
  }
  return allocations;
}

/** @throws ServiceError invalid_request if the number of allocations does not fit the action */
export function checkCount(action: GivenDecision['action'] | 'undo', count: number): void {
  if (action === 'link' && count !== 1) throw wrongAllocations('Send one contribution for link.');
  if (action === 'split' && count < 2) throw wrongAllocations('Send at least two contributions for split.');
  if (action !== 'link' && action !== 'split' && count > 0) {
    throw wrongAllocations(`Send no contributions for ${action}.`);
  }
}

/** The amounts in cents of those contributions that the viewer may see, by id. */
export async function visibleContributions(
  stated: Pick<StatedContributionsStore, 'visibleEnvironments' | 'findContributions'>,
  viewer: number,
  ids: readonly string[],
): Promise<Map<string, bigint>> {
  const found = await contributionsOf(stated, viewer, ids, await stated.visibleEnvironments(viewer));
  return new Map([...found].map(([id, { amountCents }]) => [id, amountCents]));
}

/** Runs the usual completions. A repeat changes nothing. */
export async function completeAll(
  contributions: Pick<ContributionsService, 'complete'>,
  principal: Principal,
  completions: readonly Completion[],
): Promise<void> {
  for (const { id, evidence } of completions) {
    await contributions.complete(principal, id.transactionId, evidence);
  }
}
