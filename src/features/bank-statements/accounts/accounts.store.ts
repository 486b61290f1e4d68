import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';

/** What a person sets about an account. Without a direction, the account keeps its own. */
export interface AccountSettings {
  completeCoverage: boolean;
  graceDays: number;
  direction: 'credit' | 'debit' | undefined;
}

/**
 * What became of the settings. The direction of an account cannot change while a closed month has
 * lines of it (`month_closed`), or while links or splits of its lines count (`has_links`).
 */
export type SettingsOutcome = 'set' | 'no_account' | 'month_closed' | 'has_links';

// $1 environment_id, $2 account_id, $3 settings
const setAccount = query(
  'set_account_settings',
  'SELECT set_account_settings($1, $2, $3::jsonb) AS outcome',
  {
    writes: true,
  },
);

/** The settings of accounts. */
export function createAccountsStore(database: Pick<Database, 'run'>) {
  return {
    /** Another direction queues all lines of the account. */
    async set(environmentId: number, accountId: string, settings: AccountSettings): Promise<SettingsOutcome> {
      const { completeCoverage, graceDays, direction } = settings;
      const given = { complete_coverage: completeCoverage, grace_days: graceDays, direction };
      const values = [environmentId, accountId, JSON.stringify(given)];
      const [row] = await database.run<{ outcome: SettingsOutcome }>(setAccount, values);
      return row?.outcome ?? 'no_account';
    },
  };
}

export type AccountsStore = ReturnType<typeof createAccountsStore>;
