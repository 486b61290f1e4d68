import { ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import type { ContributionsService } from '../../core/contributions/contributions.service';
import type { SandboxSettings, SandboxSettingsStore, SettingsRefusal } from './sandbox-settings.store';
import type { SettlementOutcome } from './sandbox-settings.fields';
import type { RequestedSettlement, SettlementsStore } from './settlements.store';
import type { SimulatedBank } from './simulated-bank';

export interface SettledContribution {
  transactionId: string;
  attempts: { dueAt: Date; outcome: SettlementOutcome }[];
}

/** Operations that a company can use in its test environment only. */
export type SandboxService = ReturnType<typeof createSandboxService>;

const refusals: Record<SettingsRefusal, string> = {
  no_linked_bank:
    'No bank is linked to your test environment. Ask the operator to link one, or set bank to simulated.',
  bank_is_linked:
    'The operator linked a bank to your test environment, so bank cannot be none. Set it to linked or simulated, or ask the operator to end the link.',
};

const notSimulated =
  'The simulated bank cannot complete this contribution. Set bank to simulated with PUT /company/integration/sandbox/settings, or use a contribution that was pending at that time.';

const conflict = (detail: string): ServiceError => new ServiceError('sandbox_conflict', { detail });

export interface SandboxDependencies {
  settings: SandboxSettingsStore;
  settlements: Pick<SettlementsStore, 'request'>;
  simulatedBank: Pick<SimulatedBank, 'attempt' | 'wake'>;
  contributions: Pick<ContributionsService, 'get'>;
}

export function createSandboxService(deps: SandboxDependencies) {
  const { settlements, simulatedBank, contributions } = deps;

  return {
    settings: ({ environmentId }: Principal): Promise<SandboxSettings> => deps.settings.read(environmentId),

    /** @throws ServiceError sandbox_conflict if the operator's links contradict the settings */
    async setSettings({ environmentId }: Principal, settings: SandboxSettings): Promise<SandboxSettings> {
      const outcome = await deps.settings.set(environmentId, settings);
      if (outcome !== 'set') throw conflict(refusals[outcome]);
      if (settings.bank === 'simulated') simulatedBank.wake();
      return deps.settings.read(environmentId);
    },

    /**
     * Lets the simulated bank complete one of the caller's contributions. If the process stops
     * meanwhile, another one makes the remaining attempts.
     *
     * @throws ServiceError transaction_not_found; sandbox_conflict if the simulated bank may not
     *   complete the contribution
     */
    async settle(
      principal: Principal,
      writtenId: string,
      requested: RequestedSettlement,
    ): Promise<SettledContribution> {
      const { environmentId } = principal;
      const contribution = await contributions.get(principal, writtenId);
      const { transactionId, companyName } = contribution;
      if (!contribution.own) {
        throw conflict(
          `${companyName} created this contribution. Only that company can request its settlement.`,
        );
      }
      const found = await settlements.request(environmentId, transactionId, requested);
      if (found.length === 0) throw conflict(notSimulated);
      const attempts: SettledContribution['attempts'] = [];
      for (const settlement of found) {
        const outcome =
          requested.afterSeconds > 0
            ? ('scheduled' as const)
            : await simulatedBank.attempt(environmentId, settlement);
        attempts.push({ dueAt: settlement.dueAt, outcome });
      }
      if (requested.afterSeconds > 0) simulatedBank.wake();
      return { transactionId, attempts };
    },
  };
}
