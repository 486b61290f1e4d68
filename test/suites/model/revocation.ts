import { setTimeout as sleep } from 'node:timers/promises';

import type { Caller } from './commands/command';
import { complete } from './commands/complete';
import { showMainComponent } from './commands/main-component';
import type { Exchanges } from './exchanges';
import type { ServiceUnderTest } from './service-under-test';

/** Decision 2: how long a revoked pair may go on working for anything but completions. */
const reachesWithinMs = 1_000;
/**
 * A process that was held up by the machine had no chance to hear anything: so many requests are
 * looked at besides.
 */
const fewestRequests = 50;

/**
 * What follows a revocation: no completion from this moment on, whether the service has heard of it
 * or not, and nothing at all a second after it was heard of.
 *
 * @param answeredAt when the operator was told that the pair is revoked
 * @throws Error when the pair works for longer than it may
 */
export async function settleRevocation(
  service: ServiceUnderTest,
  exchanges: Exchanges,
  caller: Caller,
  respondedAt: number,
): Promise<void> {
  const { apiKey } = caller.pair;
  const [anything] = exchanges.beliefs()[0]!.transactions.keys();
  if (anything !== undefined) await exchanges.send([complete(caller, anything)]);
  const heardAt = (await service.announceRevocation(apiKey)) ? performance.now() : respondedAt;
  for (let requests = 1; ; requests += 1) {
    const sentAt = performance.now();
    const { outcome } = await showMainComponent(caller, 'nobody').send(service);
    if (outcome === '401 credentials_invalid') break;
    const elapsedMs = sentAt - heardAt;
    if (elapsedMs >= reachesWithinMs && requests >= fewestRequests)
      throw exchanges.failure(
        `…${apiKey.slice(-4)} was revoked ${elapsedMs} ms ago and is answered ${outcome}`,
      );
    await sleep(2);
  }
  exchanges.note(`…${apiKey.slice(-4)} is refused everywhere`);
  for (const model of exchanges.beliefs())
    model.pairs.set(apiKey, { principal: caller.principal, state: 'revoked' });
}
