import { setTimeout as sleep } from 'node:timers/promises';

import type { Caller } from './commands/command';
import { complete } from './commands/complete';
import { showMainComponent } from './commands/main-component';
import type { Exchanges } from './exchanges';
import type { ServiceUnderTest } from './service-under-test';

/** Decision 2: how long a revoked key pair may still work for operations other than completions. */
const reachesWithinMs = 1_000;
/**
 * A delayed process could not receive the revocation, so this number of requests is permitted in
 * addition.
 */
const fewestRequests = 50;

/**
 * Checks a revocation. From now on, no completion may succeed. A second after the service was
 * notified, no other request may succeed either.
 *
 * @param respondedAt when the operator was told that the key pair is revoked
 * @throws Error when the key pair works for longer than permitted
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
        `…${apiKey.slice(-4)} was revoked ${elapsedMs} ms ago and still gets ${outcome}`,
      );
    await sleep(2);
  }
  exchanges.note(`…${apiKey.slice(-4)} is rejected everywhere`);
  for (const model of exchanges.beliefs())
    model.pairs.set(apiKey, { principal: caller.principal, state: 'revoked' });
}
