import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import { OutdatedKeyPair } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';

/** The facts about a caller that authentication does not read. */
export interface Caller {
  companyId: string;
  companyName: string;
  isSuspended: boolean;
  createdAt: Date;
  expiresAt: Date | null;
}

export type CallerReadModel = ReturnType<typeof createCallerReadModel>;

// $1 environment_id, $2 api_key
const findCaller = statement(
  'find_caller',
  `
  SELECT c.company_id, c.name, c.suspended_at IS NOT NULL AS is_suspended, k.created_at, k.expires_at
    FROM key_pairs k JOIN environments e USING (environment_id) JOIN companies c USING (company_id)
   WHERE k.environment_id = $1 AND k.api_key = $2 AND key_pair_is_live(k.revoked_at, k.expires_at)
  `,
);

interface CallerRow {
  company_id: string;
  name: string;
  is_suspended: boolean;
  created_at: Date;
  expires_at: Date | null;
}

export function createCallerReadModel(database: Pick<Database, 'run'>) {
  return {
    /** @throws OutdatedKeyPair if the pair was revoked, or moved by a reset */
    async find({ environmentId, apiKey }: Pick<Principal, 'environmentId' | 'apiKey'>): Promise<Caller> {
      const [row] = await database.run<CallerRow>(findCaller, [environmentId, apiKey]);
      if (!row) throw new OutdatedKeyPair();
      return {
        companyId: row.company_id,
        companyName: row.name,
        isSuspended: row.is_suspended,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      };
    },
  };
}
