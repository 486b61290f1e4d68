import { compareDay } from '../../src/features/bank-statements/days/compare-day';
import { followChanges } from '../../src/features/bank-statements/days/follow-changes';
import { createLaterChangesStore } from '../../src/features/bank-statements/days/later-changes.store';
import { relayAll } from './feed';
import type { TestService } from './service';
import { dependenciesOf } from './stored-days';
import { until } from './until';

/** Waits until all days are compared with all files, completions, lists and links so far. */
export async function compareAll(service: TestService): Promise<void> {
  await compareRelayed(service, () => relayAll(service.database.admin));
}

/** Without `relay`, it does not wait for events that are in no feed yet. */
export async function compareRelayed(
  { container: { database: db }, database }: TestService,
  relay?: () => Promise<void>,
): Promise<void> {
  const changes = createLaterChangesStore(db);
  const dependencies = dependenciesOf(db);
  const rowsOf = async <Row extends object>(text: string): Promise<Row[]> =>
    (await database.admin.query<Row>(text)).rows;
  await until('all days are compared', async () => {
    await relay?.();
    for (const changed of await changes.changed(1_000)) {
      await followChanges({ changes, days: dependencies.days }, changed);
    }
    const days = await rowsOf<{ environmentId: number; accountId: string; day: string }>(
      `SELECT environment_id AS "environmentId", account_id AS "accountId", day::text FROM account_days WHERE has_work`,
    );
    // The service compares days too, and may still be running.
    for (const day of days) {
      const claimed = await dependencies.days.claim(day);
      if (claimed) await compareDay(dependencies, claimed, () => false);
    }
    const waiting = await rowsOf(
      `SELECT 1 FROM statement_uploads WHERE ended_at IS NULL
        UNION ALL SELECT 1 FROM account_days WHERE has_work OR claimed_until > now()
        UNION ALL SELECT 1 FROM comparing_progress WHERE claimed_until > now()`,
    );
    return waiting.length === 0 && (await changes.changed(1)).length === 0;
  });
}
