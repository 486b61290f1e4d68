import type { Concerned, Corruption } from './corruption';

/** Tampering with the middle of the five entries that `createActivity` adds. */
const finds =
  (...positions: number[]) =>
  (): Concerned[] =>
    positions.map((position) => ({ environment_id: null, position: String(position) }));

const missing = 'the previous entry is missing';
const notItsContent = 'its hash does not match its content';
const notBefore = 'its previous_hash is not the hash of the previous entry';
const withoutKeys = 'ALTER TABLE operator_actions DROP CONSTRAINT operator_actions_position_key';

/** Tampering by somebody who recomputes the hash of an entry but not the chain. */
const rehash = `hash = operator_action_hash(previous_hash, position, action_id, acted_at, database_role, claimed_operator,
                                            command, 'changed', arguments, result)`;

const corruption = (problem: string, sql: string, ...positions: number[]): Corruption => ({
  check: 'audit-chain',
  problem,
  sql: () => sql,
  finds: finds(...positions),
});

export const auditPlants: readonly Corruption[] = [
  // Changes a different column of each entry, because each corruption costs a copy of the database.
  corruption(
    notItsContent,
    `UPDATE operator_actions SET action_id = gen_random_uuid() WHERE position = 1;
     UPDATE operator_actions SET acted_at = acted_at + interval '1 microsecond' WHERE position = 2;
     UPDATE operator_actions SET database_role = 'somebody_else' WHERE position = 3;
     UPDATE operator_actions SET claimed_operator = 'somebody else' WHERE position = 4;
     UPDATE operator_actions SET command = 'keys list' WHERE position = 5`,
    1,
    2,
    3,
    4,
    5,
  ),
  corruption(
    notItsContent,
    `UPDATE operator_actions SET target = NULL WHERE position = 1;
     UPDATE operator_actions SET arguments = '{"a": 1}' WHERE position = 2;
     UPDATE operator_actions SET result = '{}' WHERE position = 3;
     UPDATE operator_actions SET hash = sha256(hash) WHERE position = 5`,
    1,
    2,
    3,
    5,
  ),
  corruption(notBefore, `UPDATE operator_actions SET target = 'changed', ${rehash} WHERE position = 2`, 3),
  corruption(notBefore, `UPDATE operator_actions SET previous_hash = sha256(hash) WHERE position = 2`, 2),
  corruption(notBefore, `UPDATE operator_actions SET previous_hash = sha256(hash) WHERE position = 1`, 1),
  corruption(missing, 'DELETE FROM operator_actions WHERE position = 2', 3),
  corruption(missing, 'DELETE FROM operator_actions WHERE position <= 2', 3),
  corruption(
    notItsContent,
    `${withoutKeys}; UPDATE operator_actions SET position = 5 - position WHERE position IN (2, 3)`,
    2,
    3,
  ),
  corruption(
    'another entry has the same position',
    `${withoutKeys};
     INSERT INTO operator_actions
     SELECT (jsonb_populate_record(a, jsonb_build_object('action_id', gen_random_uuid()))).* FROM operator_actions a WHERE position = 2`,
    2,
  ),
  corruption(
    missing,
    `INSERT INTO operator_actions
     SELECT (jsonb_populate_record(a, jsonb_build_object('action_id', gen_random_uuid(), 'position', 7))).*
       FROM operator_actions a WHERE position = 5`,
    7,
  ),
];
