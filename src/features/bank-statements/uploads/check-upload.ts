import {
  type CsvReading,
  type Outcome,
  outcomes,
  StatementFileRefused,
} from '@contribution-service/bank-files';
import { v7 as uuidv7 } from 'uuid';

import type { Clock } from '../../../shared/clock';
import { ServiceError } from '../../../shared/errors';
import { outcomeOf } from '../contributions/match-entry';
import type { ReadFile } from '../reading/read-file';
import type { OpenFile } from '../reading/read-in-thread';
import type { StatementReading } from '../reading/statement-reading';
import { checkAccounts, type StatementAccounts } from '../statements/statement-accounts';
import { createDryRunLimit } from './dry-run-limit';
import type { UploadOptions } from './statement-upload';

/** An account that a statement of the file is about. */
export interface CheckedAccount {
  /** Null for an account that an upload would create. */
  accountId: string | null;
  ending: string | null;
  currency: string | null;
}

/** A file that was only checked. */
export interface CheckedUpload extends Pick<ReadFile, 'format' | 'version' | 'problems'> {
  /** How a CSV file was read. An upload is rejected if there are questions. */
  csv: CsvReading | undefined;
  /** The account of each statement. */
  accounts: CheckedAccount[];
  /** The number of lines with each outcome. */
  outcomes: Record<Outcome, number>;
}

export interface CheckDependencies {
  reading: StatementReading;
  accounts: Pick<StatementAccounts, 'find'>;
  /** The tags of all environments whose contributions an environment may ever see. */
  tagsOf: (environmentId: number) => Promise<ReadonlySet<string>>;
  /** The tags of the environments whose contributions an environment may see now. */
  visibleTagsOf: (environmentId: number) => Promise<ReadonlySet<string>>;
  companyOf: (environmentId: number) => Promise<string>;
  clock: Clock;
}

/** The longest wait for a free slot. */
const waitMs = 10_000;
/** How often a check looks whether its uploader has left. */
const lookMs = 250;

/** Reads and checks files, and stores nothing. */
export function createUploadCheck(dependencies: CheckDependencies) {
  const { reading, accounts, tagsOf, visibleTagsOf, companyOf, clock } = dependencies;
  const limit = createDryRunLimit(() => clock.now().getTime());

  async function check(
    environmentId: number,
    bytes: Uint8Array,
    options: UploadOptions,
    signal: AbortSignal,
  ) {
    const tags = await tagsOf(environmentId);
    const visible = await visibleTagsOf(environmentId);
    const context = { tags, now: clock.now(), attemptId: uuidv7(), mapping: options.mapping };
    async function examine({ file, parts }: OpenFile): Promise<CheckedUpload> {
      checkAccounts(file.accounts, options);
      const found: CheckedAccount[] = [];
      for (const stated of file.accounts) {
        const known = await accounts.find(environmentId, stated, options);
        const { accountEnding: ending, currency } = stated;
        found.push({ accountId: known?.accountId ?? null, ending, currency });
      }
      const none = outcomes.map((outcome) => [outcome, 0]);
      const counts = Object.fromEntries(none) as CheckedUpload['outcomes'];
      for await (const part of parts)
        if ('lines' in part) for (const line of part.lines) counts[outcomeOf(line, visible)] += 1;
      const { format, version, problems, csv } = file;
      return { format, version, problems, csv, accounts: found, outcomes: counts };
    }
    return reading.read([bytes], context, examine, signal);
  }

  return {
    /**
     * Reads a file within a slot of its company.
     *
     * @param hasLeft whether nobody waits for the result any more
     * @throws ServiceError statement_unreadable if an upload would be rejected for another reason
     *   than questions about its columns; overloaded if no slot became free in time; rate_limited
     */
    async check(
      environmentId: number,
      bytes: Uint8Array,
      options: UploadOptions,
      hasLeft: () => boolean,
    ): Promise<CheckedUpload> {
      const companyId = await companyOf(environmentId);
      limit.count(companyId);
      const left = new AbortController();
      const look = setInterval(() => {
        if (hasLeft()) left.abort(new Error('the uploader has left'));
      }, lookMs);
      const { signal } = left;
      try {
        return await reading.inSlot(companyId, () => check(environmentId, bytes, options, signal), {
          ...{ waitMs, signal },
        });
      } catch (error) {
        if (!(error instanceof StatementFileRefused)) throw error;
        throw new ServiceError('statement_unreadable', { detail: error.message });
      } finally {
        clearInterval(look);
      }
    },
  };
}

export type UploadCheck = ReturnType<typeof createUploadCheck>;
