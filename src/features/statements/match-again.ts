import type { ChangedEnvironment, LaterChangesStore } from './later-changes.store';
import type { ReconcileClasses } from './reconcile-classes';

/** The number of entries in one transaction. */
const classesAtOnce = 500;

/**
 * Compares entries again after a completion, a settlement list, a decision or a bank link that came
 * after their file. The order of changes and uploads therefore does not matter. If a process stops
 * in between, another one continues. Comparing an entry twice changes nothing.
 */
export type MatchAgain = (changed: ChangedEnvironment) => Promise<void>;

export function createMatchAgain(store: LaterChangesStore, reconcile: ReconcileClasses): MatchAgain {
  return async (changed) => {
    const changes = await store.claim(changed);
    if (!changes) return;
    const { environmentId, links } = changes;
    if (links.now > links.before) await store.matchFilesAgain(environmentId);
    const classes = await store.waitingClasses(changes);
    for (let start = 0; start < classes.length; start += classesAtOnce) {
      if (start > 0) await store.extendClaim(changes);
      await reconcile(environmentId, classes.slice(start, start + classesAtOnce));
    }
    await store.finish(changes);
  };
}
