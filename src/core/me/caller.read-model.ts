import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';
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
const findCaller = query(
  'find_caller',
  `
  SELECT c.company_id AS "companyId", c.name AS "companyName", c.suspended_at IS NOT NULL AS "isSuspended",
         ${membersOf('k', 'createdAt', 'expiresAt')}
    FROM key_pairs k JOIN environments e USING (environment_id) JOIN companies c USING (company_id)
   WHERE k.environment_id = $1 AND k.api_key = $2 AND key_pair_is_live(k.revoked_at, k.expires_at)
  `,
);

export function createCallerReadModel(database: Pick<Database, 'run'>) {
  return {
    /** @throws OutdatedKeyPair if the pair was revoked, or moved by a reset */
    async find({ environmentId, apiKey }: Pick<Principal, 'environmentId' | 'apiKey'>): Promise<Caller> {
      const [row] = await database.run<Caller>(findCaller, [environmentId, apiKey]);
      if (!row) throw new OutdatedKeyPair();
      return row;
    },
  };
}
