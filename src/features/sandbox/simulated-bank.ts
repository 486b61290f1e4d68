import { loggable } from '../../http/errors/loggable-error';
import type { Clock } from '../../shared/clock';
import type { Logger } from '../../shared/logger';
import { startPolling } from '../../shared/polling';
import type { SingleCompleteOutcome } from '../../core/contributions/contribution';
import type { ContributionsStore } from '../../core/contributions/contributions.store';
import type { SettlementOutcome } from './sandbox-settings.fields';
import type { SandboxEnvironment, Settlement, SettlementsStore } from './settlements.store';

/** The bank that completes the contributions of environments whose setting is `simulated`. */
export type SimulatedBank = ReturnType<typeof createSimulatedBank>;

export interface SimulatedBankDependencies {
  store: SettlementsStore;
  contributions: Pick<ContributionsStore, 'completeAsSimulatedBank'>;
  clock: Clock;
  logger: Logger;
  onAttempt: (outcome: SettlementOutcome) => void;
  /** How often this process looks for work. Default: a second. */
  pollMs: number | undefined;
}

const usualPollMs = 1_000;
/** The rest of the environments wait, so that requests find free connections. */
const mostEnvironmentsAtOnce = 4;
/** Further settlements of an environment wait until the others have had theirs. */
const mostInARow = 100;
/** The wait after a search that failed. */
const retryMs = 5_000;

const outcomes: Partial<Record<SingleCompleteOutcome, SettlementOutcome>> = {
  completed: 'completed',
  replayed: 'repeated',
  undone: 'repeated',
  barred: 'repeated',
  amount_differs: 'amount_mismatch',
  unknown: 'transaction_not_found',
  contested: 'completed_by_another',
};

/** Completes the contribution of a settlement with the real query, and records the outcome. */
function createAttempt({ store, contributions, clock, onAttempt }: SimulatedBankDependencies) {
  async function complete(
    environmentId: number,
    { transactionId, idIsMistyped, ...evidence }: Settlement,
  ): Promise<SettlementOutcome> {
    // Like the real operation, reject a mistyped id by its check character, without a query.
    if (idIsMistyped) return 'transaction_not_found';
    const outcome = await contributions.completeAsSimulatedBank(environmentId, transactionId, {
      amountCents: evidence.amountCents,
      bankReference: evidence.bankReference,
      valueDate: evidence.valueDate ?? clock.now().toISOString().slice(0, 10),
    });
    const known = outcomes[outcome];
    if (!known) throw new Error(`the simulated bank cannot complete: ${outcome}`);
    return known;
  }

  return async (environmentId: number, settlement: Settlement): Promise<SettlementOutcome> => {
    const outcome = await complete(environmentId, settlement);
    await store.finish(environmentId, settlement, outcome);
    onAttempt(outcome);
    return outcome;
  };
}

/**
 * Attempts each settlement when it is due. Settlements are rows in the database, so a restart loses
 * none. Every process looks for them, and the database gives each to one process. If a process
 * stops before it records an outcome, another one repeats the completion, which changes nothing.
 */
export function createSimulatedBank(deps: SimulatedBankDependencies) {
  const { store, logger, pollMs = usualPollMs } = deps;
  const attempt = createAttempt(deps);

  async function settle(environmentId: number): Promise<void> {
    await store.plan(environmentId);
    for (let left = mostInARow; left > 0 && !polling.isStopped; left -= 1) {
      const settlement = await store.takeDue(environmentId);
      if (!settlement) return;
      await attempt(environmentId, settlement);
    }
    polling.wake();
  }

  async function work({ environmentId, hasWork }: SandboxEnvironment): Promise<void> {
    try {
      await (hasWork ? settle(environmentId) : store.skipPlanned(environmentId));
    } catch (error) {
      // The settlements are still due.
      logger.warn({ environment_id: environmentId, error: loggable(error) }, 'settlements not attempted');
    }
  }

  /** @returns the time until the next poll */
  async function poll(): Promise<number> {
    try {
      const waiting = (await store.environments()).values();
      const workOnWaiting = async (): Promise<void> => {
        for (const environment of waiting) if (!polling.isStopped) await work(environment);
      };
      await Promise.all(Array.from({ length: mostEnvironmentsAtOnce }, workOnWaiting));
      return pollMs;
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'search for due settlements failed');
      return retryMs;
    }
  }

  const polling = startPolling(poll, pollMs);
  return {
    /** Attempts one completion that this process has taken, and records its outcome. */
    attempt,
    /** Looks for work now, after settings changed or a settlement was requested. */
    wake() {
      polling.wake();
    },
    /** Stops, and waits for the current attempts. */
    stop: () => polling.stop(),
  };
}
