import { createEntryClassesStore } from '../../src/features/statements/entry-classes.store';
import { createLaterChangesStore } from '../../src/features/statements/later-changes.store';
import { matchingRules } from '../../src/features/statements/matching/matching-rules';
import { createMatchAgain } from '../../src/features/statements/match-again';
import { createReconcileClasses } from '../../src/features/statements/reconcile-classes';
import { createStatedContributionsStore } from '../../src/features/statements/stated-contributions.store';
import { relayAll } from './feed';
import type { TestService } from './service';
import { until } from './until';

/** The rules of a later version. */
export const laterRules = matchingRules + 1;

/**
 * Leaves the files of all environments to stores with `laterRules`. The service's task may still
 * look for files after the last one is matched.
 */
export const matchOnlyWithLaterRules = ({ database }: TestService): Promise<unknown> =>
  database.admin.query('UPDATE matching_progress SET rules = $1', [laterRules]);

/** Waits until all files are matched with all completions, lists and links so far. */
export async function matchAll({ container: { database: db }, database }: TestService): Promise<void> {
  const changes = createLaterChangesStore(db);
  const reconcile = createReconcileClasses(createEntryClassesStore(db), createStatedContributionsStore(db));
  const matchAgain = createMatchAgain(changes, reconcile);
  const count = async (condition: string): Promise<number> => {
    const { rows } = await database.admin.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM ${condition}`,
    );
    return rows[0]?.count ?? 0;
  };
  await until('all entries are matched', async () => {
    await relayAll(database.admin);
    for (const changed of await changes.changed(1_000)) await matchAgain(changed);
    // The service relays and matches too, and may still be running.
    const waiting = [
      'event_queue',
      `statement_files WHERE state = 'stored'`,
      `matching_progress p LEFT JOIN feeds f USING (environment_id)
        WHERE p.claimed_until > now() OR p.matched_sequence < COALESCE(f.last_sequence, 0)
           OR p.matched_lists < p.seen_lists OR p.matched_decisions < p.seen_decisions`,
    ];
    for (const condition of waiting) if ((await count(condition)) > 0) return false;
    return true;
  });
}
