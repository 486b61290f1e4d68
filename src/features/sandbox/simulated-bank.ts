import { loggable } from '../../http/errors/loggable-error';
import type { Clock } from '../../shared/clock';
import type { Logger } from '../../shared/logger';
import type { SingleCompleteOutcome } from '../../core/contributions/contribution';
import type { ContributionsStore } from '../../core/contributions/contributions.store';
import { createScheduledRuns } from './scheduled-runs';
import type { SettlementOutcome } from './sandbox-settings.fields';
import type { Settlement, SettlementsStore } from './settlements.store';

/** The bank that completes the contributions of environments whose setting is `simulated`. */
export interface SimulatedBank {
  /** Attempts one completion that this process has taken, and records its outcome. */
  attempt(environmentId: number, settlement: Settlement): Promise<SettlementOutcome>;
  /** Looks for work, after the settings of an environment changed or a settlement was scheduled. */
  look(environmentId: number): void;
  /** Looks for work after a create. Does nothing unless the simulated bank is linked. */
  noteCreate(environmentId: number): void;
  /** Stops, and waits for the current attempt. */
  stop(): Promise<void>;
}

export interface SimulatedBankDependencies {
  store: SettlementsStore;
  contributions: Pick<ContributionsStore, 'completeAsSimulatedBank'>;
  clock: Clock;
  logger: Logger;
  onAttempt: (outcome: SettlementOutcome) => void;
  /** How often this process looks for the work of all environments. */
  sweepIntervalMs: number;
}

/** How long to wait, so that requests that arrive together cause only one run. */
const gatherMs = 50;
/** The wait before this process retries a settlement that failed or belongs to another process. */
const retryMs = 1_000;

const outcomes: Partial<Record<SingleCompleteOutcome, SettlementOutcome>> = {
  completed: 'completed',
  replayed: 'repeated',
  undone: 'repeated',
  barred: 'repeated',
  amount_differs: 'amount_mismatch',
  unknown: 'transaction_not_found',
  contested: 'completed_by_another',
};

/** Completes the contribution of a settlement with the real statement, and records the outcome. */
function createAttempt({
  store,
  contributions,
  clock,
  onAttempt,
}: SimulatedBankDependencies): SimulatedBank['attempt'] {
  async function complete(
    environmentId: number,
    { transactionId, idIsMistyped, ...evidence }: Settlement,
  ): Promise<SettlementOutcome> {
    // Like the real operation, reject a mistyped id by its check character, without a statement.
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

  return async (environmentId, settlement) => {
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
export function createSimulatedBank(deps: SimulatedBankDependencies): SimulatedBank {
  const { store, logger, sweepIntervalMs } = deps;
  const simulated = new Set<number>();
  const attempt = createAttempt(deps);
  const runs = createScheduledRuns(work, gatherMs);

  async function work(environmentId: number): Promise<void> {
    try {
      await store.plan(environmentId);
      for (;;) {
        const settlement = runs.isStopped() ? undefined : await store.takeDue(environmentId);
        if (!settlement) break;
        await attempt(environmentId, settlement);
      }
      const nextMs = runs.isStopped() ? undefined : await store.nextDueMs(environmentId);
      if (nextMs !== undefined) runs.schedule(environmentId, nextMs > 0 ? nextMs : retryMs);
    } catch (error) {
      // The settlements are still due.
      logger.warn({ environment_id: environmentId, error: loggable(error) }, 'settlements not attempted');
      runs.schedule(environmentId, retryMs);
    }
  }

  async function sweep(): Promise<void> {
    try {
      for (const { environmentId, isSimulated, hasWork } of await store.environments()) {
        if (isSimulated) simulated.add(environmentId);
        else simulated.delete(environmentId);
        if (hasWork) runs.schedule(environmentId, 0);
        // Do this only after `plan`, because only planned contributions may be skipped.
        else if (isSimulated) await store.skipPlanned(environmentId);
      }
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'search for due settlements failed');
    }
  }

  let sweeping: Promise<void> | undefined;
  const interval = setInterval(() => {
    sweeping ??= sweep().finally(() => (sweeping = undefined));
  }, sweepIntervalMs).unref();

  return {
    attempt,
    look(environmentId) {
      simulated.add(environmentId);
      runs.schedule(environmentId, gatherMs);
    },
    noteCreate(environmentId) {
      if (simulated.has(environmentId)) runs.schedule(environmentId, gatherMs);
    },
    async stop() {
      clearInterval(interval);
      await Promise.all([sweeping, runs.stop()]);
    },
  };
}
