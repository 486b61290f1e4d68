import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

const before = `               SELECT st.account_id FROM entry_sources o
                 JOIN statements st ON st.environment_id = _environment_id AND st.file_id = o.file_id
                                   AND st.number = o.statement_number
                WHERE o.environment_id = _environment_id AND o.class_key = k.class_key LIMIT 1
`;
/** OFFSET 0 forces a lookup by the key, even if the planner's statistics are outdated. */
const after = `               SELECT st.account_id FROM (
                        SELECT o.file_id, o.statement_number FROM entry_sources o
                         WHERE o.environment_id = _environment_id AND o.class_key = k.class_key OFFSET 0
                      ) AS s
                 JOIN statements st ON st.environment_id = _environment_id AND st.file_id = s.file_id
                                   AND st.number = s.statement_number
                LIMIT 1
`;

/**
 * While a file was imported, PostgreSQL could read all of its lines to find the account of one. The
 * result stays the same.
 */
export const up = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, before, after);

export const down = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, after, before);
