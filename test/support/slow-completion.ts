import type { Test } from 'supertest';

import { lockWaits } from './lock-waits';
import type { TestService } from './service';
import { until } from './until';

export const untilCompletionWaits = ({ database }: TestService): Promise<void> =>
  until('the completion waits for a lock', async () => {
    const waiting = await lockWaits(database.admin);
    // On a cluster, the function of the tenant's worker waits.
    return waiting.filter((query) => /complete_contribution(_of)?\(/.test(query)).length === 1;
  });

/** Pauses a completion after it has read the links and the clock, until it is released. */
export async function completeSlowly(
  service: TestService,
  id: string,
  complete: () => Test,
): Promise<{ response: Promise<number>; release: () => Promise<void> }> {
  const holder = await service.database.admin.connect();
  const { rows } = await holder.query<{ environment_id: number; user_id: string }>(
    'SELECT environment_id, user_id FROM transactions WHERE transaction_id = $1',
    [id],
  );
  await holder.query('BEGIN');
  await holder.query('SELECT FROM users WHERE environment_id = $1 AND user_id = $2 FOR UPDATE', [
    rows[0]!.environment_id,
    rows[0]!.user_id,
  ]);
  const response = complete().then(({ status }) => status);
  await untilCompletionWaits(service);
  return {
    response,
    async release() {
      await holder.query('ROLLBACK');
      holder.release();
    },
  };
}
