import type { Routes } from '../../http/routes';
import { defaultDelayMs } from '../../http/faults/fault-kinds';
import { defaultHoldMs, waits } from '../webhooks/courier/webhook-fault.field';
import type { faultsContract } from './faults.contract';
import type { FaultsService } from './faults.service';
import type { ArmedFault } from './faults.store';

const isDelayed = (kind: string): boolean => kind === 'delay' || waits(kind);

const present = ({ operation, kind, times, timesLeft, delayMs, armedAt, expiresAt }: ArmedFault) => ({
  operation,
  kind,
  times,
  times_left: timesLeft,
  delay_ms: isDelayed(kind) ? delayMs : null,
  armed_at: armedAt.toISOString(),
  expires_at: expiresAt.toISOString(),
});

/** Adds the operations that arm, list and remove faults. */
export function faultsRoutes(
  routes: Routes,
  contract: ReturnType<typeof faultsContract>,
  faults: FaultsService,
): void {
  routes.bind(contract.arm).to(async ({ principal, body }) => {
    const { operation, kind, times = 1 } = body;
    const delayMs = body.delay_ms ?? (waits(kind) ? defaultHoldMs : defaultDelayMs);
    const armed = await faults.arm(principal, { operation, kind, times, delayMs });
    return { status: 200, body: present(armed) };
  });

  routes.bind(contract.list).to(async ({ principal }) => ({
    status: 200,
    body: { data: (await faults.list(principal)).map(present), has_more: false },
  }));

  routes.bind(contract.disarm).to(async ({ principal }) => {
    await faults.disarm(principal);
    return { status: 204 };
  });
}
