import { OutdatedKeyPair, ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import type { ContributionsService } from '../../core/contributions/contributions.service';
import type { ProjectsStore } from '../../core/projects/projects.store';
import type { ResetsStore } from './resets.store';
import type { ResetSeed } from './sandbox-settings.fields';
import type { SandboxSettingsStore } from './sandbox-settings.store';
import type { SimulatedBank } from './simulated-bank';

export interface Reset {
  resetAt: Date;
  /** The number of further resets that are possible within 24 hours. */
  resetsLeft: number;
  /** The contributions of the seed. */
  transactionIds: string[];
}

/** Replaces a company's test environment with an empty one. */
export type ResetsService = ReturnType<typeof createResetsService>;

export interface ResetsDependencies {
  store: ResetsStore;
  settings: Pick<SandboxSettingsStore, 'read'>;
  simulatedBank: Pick<SimulatedBank, 'wake'>;
  contributions: Pick<ContributionsService, 'create'>;
  projects: Pick<ProjectsStore, 'list'>;
  /** Makes this process read a key pair again. Other processes get a notification. */
  forgetKeyPair: (apiKey: string) => void;
  mostPerDay: number;
}

/** The amounts of the seed's contributions, one for each of the first projects. */
const seedAmountsCents = [2_500n, 1_000n, 500n];

const tooMany = (mostPerDay: number, seconds: number): ServiceError =>
  new ServiceError('rate_limited', {
    detail: `A test environment can be reset ${mostPerDay} times within 24 hours. No changes were made. Wait Retry-After seconds.`,
    headers: { 'Retry-After': String(seconds) },
  });

export function createResetsService(deps: ResetsDependencies) {
  const { store, settings, simulatedBank, contributions, projects, forgetKeyPair, mostPerDay } = deps;

  async function plant(principal: Principal): Promise<string[]> {
    const page = { limit: seedAmountsCents.length, after: undefined };
    const found = await projects.list(principal.environmentId, undefined, page);
    const transactionIds: string[] = [];
    try {
      for (const [index, { projectId }] of found.data.entries()) {
        const { transactionId } = await contributions.create(principal, {
          projectId,
          amountCents: seedAmountsCents[index] ?? 500n,
          userHash: `demo-user-${index + 1}`,
          name: undefined,
          idempotencyKey: `demo-contribution-${index + 1}`,
        });
        transactionIds.push(transactionId);
      }
    } catch (error) {
      // For example, the company is suspended. The reset itself has succeeded.
      if (!(error instanceof ServiceError)) throw error;
    }
    return transactionIds;
  }

  return {
    /** @throws ServiceError rate_limited after too many resets within 24 hours */
    async reset(principal: Principal, seed: ResetSeed): Promise<Reset> {
      const { outcome, environmentId, resetAt, resetsLeft, apiKeys, retryAfterSeconds } = await store.reset(
        principal.environmentId,
        mostPerDay,
      );
      if (outcome === 'moved') throw new OutdatedKeyPair();
      if (outcome === 'too_many') throw tooMany(mostPerDay, retryAfterSeconds);
      apiKeys.forEach(forgetKeyPair);
      const { bank } = await settings.read(environmentId);
      if (bank === 'simulated') simulatedBank.wake();
      const transactionIds = seed === 'demo' ? await plant({ ...principal, environmentId }) : [];
      return { resetAt, resetsLeft, transactionIds };
    },
  };
}
