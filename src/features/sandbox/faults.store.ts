import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';
import type { FaultKind } from '../../http/faults/fault-kinds';
import { OutdatedKeyPair } from '../../shared/errors';
import { keyPairChannel } from '../../shared/key-pair-channel';
import type { WebhookFaultKind } from '../webhooks/courier/webhook-fault.field';

/** How a request, or the delivery of an event, fails. */
export type SandboxFaultKind = FaultKind | WebhookFaultKind;

export interface TakenFault {
  kind: SandboxFaultKind;
  delayMs: number;
  timesLeft: number;
}

/** A fault that is armed for the next requests of an operation. */
export interface ArmedFault {
  operation: string;
  kind: SandboxFaultKind;
  times: number;
  timesLeft: number;
  delayMs: number;
  armedAt: Date;
  expiresAt: Date;
}

export type FaultsStore = ReturnType<typeof createFaultsStore>;

const lifetime = `interval '1 hour'`;

const isArmed = 'f.times_left > 0 AND f.expires_at > statement_timestamp()';

const columns = (row: string): string =>
  membersOf(row, ...['operation', 'kind', 'times', 'timesLeft', 'delayMs', 'armedAt', 'expiresAt']);

// A repeated request changes nothing but the counts and the time. Each key pair is cached together
// with the operations that have faults.
// $1 environment_id, $2 operation, $3 kind, $4 times, $5 delay_ms
const armFault = query(
  'arm_sandbox_fault',
  `
  WITH armed AS (
    INSERT INTO sandbox_faults AS f
      (environment_id, operation, kind, times, times_left, delay_ms, armed_at, expires_at)
    SELECT e.environment_id, $2::text, $3::text, $4::smallint, $4::smallint, $5::integer, statement_timestamp(),
           statement_timestamp() + ${lifetime}
      FROM environments e WHERE e.environment_id = $1 AND e.kind = 'test' AND e.retired_at IS NULL
    ON CONFLICT ON CONSTRAINT sandbox_faults_pkey DO UPDATE
       SET times = EXCLUDED.times, times_left = EXCLUDED.times_left, delay_ms = EXCLUDED.delay_ms,
           armed_at = CASE WHEN ${isArmed} THEN f.armed_at ELSE EXCLUDED.armed_at END,
           expires_at = EXCLUDED.expires_at
    RETURNING f.environment_id, f.operation, f.kind, f.times, f.times_left, f.delay_ms, f.armed_at, f.expires_at
  ),
  notified AS (
    SELECT array_agg(k.api_key) AS api_keys, count(pg_notify('${keyPairChannel}', k.api_key))
      FROM key_pairs k JOIN armed USING (environment_id)
     WHERE k.revoked_at IS NULL
  )
  SELECT ${columns('armed')}, COALESCE(notified.api_keys, '{}') AS "apiKeys" FROM armed, notified
  `,
);

const listFaults = query(
  'list_sandbox_faults',
  `
  SELECT ${columns('f')} FROM sandbox_faults f
   WHERE f.environment_id = $1 AND ${isArmed}
   ORDER BY f.armed_at, f.operation, f.kind
  `,
);

// Sends no notification, because processes notice with their next request of the operation.
const disarmFaults = query(
  'disarm_sandbox_faults',
  'UPDATE sandbox_faults f SET times_left = 0 WHERE f.environment_id = $1 AND f.times_left > 0',
);

// A concurrent caller waits for the lock of the row, and then sees the remaining count.
// $1 environment_id, $2 operation
const takeFault = query(
  'take_sandbox_fault',
  `
  UPDATE sandbox_faults f SET times_left = f.times_left - 1
   WHERE f.environment_id = $1 AND f.operation = $2 AND f.times_left > 0 AND f.kind = (
     SELECT n.kind FROM sandbox_faults n
      WHERE n.environment_id = $1 AND n.operation = $2 AND n.times_left > 0
        AND n.expires_at > statement_timestamp()
      ORDER BY n.armed_at, n.kind
      LIMIT 1
        FOR UPDATE
   )
  RETURNING ${membersOf('f', 'kind', 'delayMs', 'timesLeft')}
  `,
);

export function createFaultsStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Arms a fault, or replaces the one of the same operation and kind. Notifies every process.
     *
     * @returns the fault, and the key pairs that it can hit
     * @throws OutdatedKeyPair after a reset
     */
    async arm(
      environmentId: number,
      { operation, kind, times, delayMs }: Pick<ArmedFault, 'operation' | 'kind' | 'times' | 'delayMs'>,
    ) {
      const values = [environmentId, operation, kind, times, delayMs];
      const [row] = await database.run<ArmedFault & { apiKeys: string[] }>(armFault, values);
      if (!row) throw new OutdatedKeyPair();
      const { apiKeys, ...fault } = row;
      return { fault, apiKeys };
    },
    /** The armed faults, in the order in which they take effect. */
    list: (environmentId: number) => database.run<ArmedFault>(listFaults, [environmentId]),
    async disarm(environmentId: number) {
      await database.run(disarmFaults, [environmentId]);
    },
    /** Uses up one fault of an operation. Exactly `times` of several concurrent callers get it. */
    async take(environmentId: number, operation: string): Promise<TakenFault | undefined> {
      return (await database.run<TakenFault>(takeFault, [environmentId, operation]))[0];
    },
  };
}
