import { type CsvReading, type Outcome, outcomes } from '@contribution-service/bank-files';
import { v7 as uuidv7 } from 'uuid';

import type { Clock } from '../../../shared/clock';
import { outcomeOf } from '../../statements/matching/match-entry';
import type { Pieces } from '../reading/pieces';
import type { ReadFile } from '../reading/read-file';
import type { SlotWait } from '../reading/reading-slots';
import type { StatementReading } from '../reading/statement-reading';
import { checkAccounts, type StatementAccounts } from '../statements/statement-accounts';
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
  clock: Clock;
}

/** The company and the environment that send a file. */
export interface Sender {
  companyId: string;
  environmentId: number;
}

/**
 * Returns a function that reads a file within its slot, and stores nothing.
 *
 * @throws StatementFileRefused if an upload of the file would be rejected for another reason than
 *   questions about its columns
 * @throws ServiceError overloaded, if no slot became free in time
 */
export function createUploadCheck({ reading, accounts, tagsOf, visibleTagsOf, clock }: CheckDependencies) {
  return ({ companyId, environmentId }: Sender, pieces: Pieces, options: UploadOptions, wait: SlotWait) =>
    reading.inSlot(
      companyId,
      async (): Promise<CheckedUpload> => {
        const tags = await tagsOf(environmentId);
        const context = { tags, now: clock.now(), attemptId: uuidv7(), mapping: options.mapping };
        return reading.read(
          pieces,
          context,
          async ({ file, parts }) => {
            checkAccounts(file.accounts, options);
            const found: CheckedAccount[] = [];
            for (const stated of file.accounts) {
              const known = await accounts.find(environmentId, stated, options);
              const { accountEnding: ending, currency } = stated;
              found.push({ accountId: known?.accountId ?? null, ending, currency });
            }
            const visible = await visibleTagsOf(environmentId);
            const counts = Object.fromEntries(
              outcomes.map((outcome) => [outcome, 0]),
            ) as CheckedUpload['outcomes'];
            for await (const part of parts)
              if ('lines' in part) for (const line of part.lines) counts[outcomeOf(line, visible)] += 1;
            const { format, version, problems, csv } = file;
            return { format, version, problems, csv, accounts: found, outcomes: counts };
          },
          wait.signal,
        );
      },
      wait,
    );
}
