import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { OutdatedKeyPair } from '../../shared/errors';
import { simulatedBank } from '../../shared/simulated-bank';
import { type BankMode, defaultMagicAmounts, defaultSettleAfterSeconds } from './sandbox-settings.fields';

export interface SandboxSettings {
  bank: BankMode;
  /** The time from the creation of a contribution to its completion by the simulated bank. */
  settleAfterSeconds: number;
  /** Whether some amounts make the simulated bank simulate a failure. */
  magicAmounts: boolean;
}

/** Why settings were rejected: they contradict the links that the operator made. */
export type SettingsRefusal = 'no_linked_bank' | 'bank_is_linked';

export type SandboxSettingsStore = ReturnType<typeof createSandboxSettingsStore>;

// $1 environment_id. Settings that were never set have defaults.
const readSandboxSettings = query(
  'read_sandbox_settings',
  `
  SELECT COALESCE(s.settle_after_seconds, ${defaultSettleAfterSeconds}) AS "settleAfterSeconds",
         COALESCE(s.magic_amounts, ${defaultMagicAmounts}) AS "magicAmounts",
         CASE
           WHEN EXISTS (
             SELECT 1 FROM bank_links l
              WHERE l.environment_id = $1 AND l.bank_environment_id = ${simulatedBank.environmentId} AND l.unlinked_at IS NULL
           ) THEN 'simulated'
           WHEN EXISTS (SELECT 1 FROM bank_links l WHERE l.environment_id = $1 AND l.unlinked_at IS NULL) THEN 'linked'
           ELSE 'none'
         END AS bank
    FROM (VALUES (true)) AS always LEFT JOIN sandbox_settings s ON s.environment_id = $1
  `,
);

const setSettings = query('set_sandbox_settings', 'SELECT set_sandbox_settings($1, $2, $3, $4) AS outcome');

export function createSandboxSettingsStore(database: Pick<Database, 'run'>) {
  return {
    async read(environmentId: number): Promise<SandboxSettings> {
      const [row] = await database.run<SandboxSettings>(readSandboxSettings, [environmentId]);
      if (!row) throw new Error('the settings of a sandbox have no row');
      return row;
    },
    /**
     * Replaces the settings, and starts or ends the link with the simulated bank.
     *
     * @throws OutdatedKeyPair after a reset
     */
    async set(environmentId: number, { bank, settleAfterSeconds, magicAmounts }: SandboxSettings) {
      const values = [environmentId, bank, settleAfterSeconds, magicAmounts];
      const [row] = await database.run<{ outcome: 'set' | SettingsRefusal | 'not_test' }>(
        setSettings,
        values,
      );
      if (!row) throw new Error('set_sandbox_settings has no row');
      if (row.outcome === 'not_test') throw new OutdatedKeyPair();
      return row.outcome;
    },
  };
}
