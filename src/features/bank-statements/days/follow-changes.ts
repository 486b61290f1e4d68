import { loggable } from '../../../http/errors/loggable-error';
import type { Logger } from '../../../shared/logger';
import { type Polling, startPolling } from '../../../shared/polling';
import type { AccountDaysStore } from './account-days.store';
import type { ChangesOfEnvironment, LaterChangesStore } from './later-changes.store';

/** The number of references whose lines one query queues. */
const referencesAtOnce = 500;
const usualPollMs = 5_000;

export interface FollowDependencies {
  changes: LaterChangesStore;
  days: Pick<AccountDaysStore, 'markReferences'>;
}

/**
 * Queues the lines that a completion, a return, a settlement list or a bank link may explain, if it
 * came after their file. If a process stops in between, another one repeats it.
 */
export async function followChanges(
  { changes, days }: FollowDependencies,
  changed: ChangesOfEnvironment,
): Promise<void> {
  const claimed = await changes.claim(changed);
  if (!claimed) return;
  const { environmentId, before, now } = claimed;
  if (now.linkChanges > before.linkChanges) await changes.markAll(environmentId);
  const references = await changes.references(claimed);
  for (let start = 0; start < references.length; start += referencesAtOnce) {
    await days.markReferences(environmentId, references.slice(start, start + referencesAtOnce));
  }
  await changes.finish(claimed);
}

/** Follows the changes of all environments with statements. `onQueued` is called after each. */
export function startFollowing(
  dependencies: FollowDependencies,
  logger: Logger,
  onQueued: () => void,
  pollMs = usualPollMs,
): Pick<Polling, 'wake' | 'stop'> {
  const poll = startPolling(async () => {
    try {
      for (;;) {
        const [changed] = poll.isStopped ? [] : await dependencies.changes.changed(1);
        if (!changed) return pollMs;
        await followChanges(dependencies, changed);
        onQueued();
      }
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'changes after statements not followed');
      return pollMs;
    }
  }, pollMs);
  return poll;
}
