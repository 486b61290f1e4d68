import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

const beforeLock = `  PERFORM pg_advisory_xact_lock(1398033748, _environment_id);
`;
const afterLock = `${beforeLock}  -- The caller's version of the rules. An older version never replaces the results of a newer one.
  UPDATE matching_progress p SET rules = _rules WHERE p.environment_id = _environment_id AND p.rules < _rules;
  IF EXISTS (SELECT FROM matching_progress p WHERE p.environment_id = _environment_id AND p.rules > _rules) THEN
    RETURN false;
  END IF;
`;

const beforeVariables = '  _touched text[];\n';
const afterVariables = `  -- Processes that do not know versions send two digests only.
  _rules integer := COALESCE(NULLIF(split_part(_basis, ' ', 3), '')::integer, 0);
${beforeVariables}`;

/** The parts of the function, before and after. The variable comes first, and is removed last. */
const changes: readonly (readonly [before: string, after: string])[] = [
  [beforeVariables, afterVariables],
  [beforeLock, afterLock],
];

/**
 * After a change of the matching rules, files that were compared before are compared again. Without
 * this, they keep the results of the earlier rules, also those that an old process computes during
 * a rolling update.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE statement_files ADD COLUMN rules integer NOT NULL DEFAULT 0;
    COMMENT ON COLUMN statement_files.rules IS 'the version of the rules with which the entries were matched; 0 if none has been';
    CREATE INDEX statement_files_by_rules ON statement_files (rules, environment_id)
      WHERE state = 'matched' AND voided_at IS NULL;
    ALTER TABLE matching_progress ADD COLUMN rules integer NOT NULL DEFAULT 0;
    COMMENT ON COLUMN matching_progress.rules IS 'the newest version of the rules that stored a result; results of older ones are refused';
    GRANT SELECT (rules, matched_at), UPDATE (rules) ON statement_files TO contribution_service;
    GRANT SELECT (rules), UPDATE (rules) ON matching_progress TO contribution_service`);
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of [...changes].reverse()) {
    await replaceInFunction(knex, signature, after, before);
  }
  await knex.raw(`
    REVOKE SELECT (matched_at) ON statement_files FROM contribution_service;
    ALTER TABLE matching_progress DROP COLUMN rules;
    ALTER TABLE statement_files DROP COLUMN rules`);
}
