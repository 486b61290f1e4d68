import type { Knex } from 'knex';

const isVoided = `CASE WHEN state = 'voided' THEN 2 ELSE 0 END`;

async function replaceStates(knex: Knex, states: string, ended: string): Promise<void> {
  await knex.raw('ALTER TABLE statement_uploads DROP CONSTRAINT statement_uploads_state_known');
  await knex.raw('ALTER TABLE statement_uploads DROP CONSTRAINT statement_uploads_ended');
  await knex.raw(
    `ALTER TABLE statement_uploads ADD CONSTRAINT statement_uploads_state_known CHECK (state IN (${states}))`,
  );
  await knex.raw(
    `ALTER TABLE statement_uploads ADD CONSTRAINT statement_uploads_ended
       CHECK ((ended_at IS NOT NULL) = (state IN (${ended})))`,
  );
}

/** What an upload contained, and that it was voided. No upload was read before. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION IF EXISTS void_statements(integer, uuid)');
  await knex.raw(`
    ALTER TABLE statement_uploads
      ADD COLUMN format text COLLATE "C",
      ADD COLUMN version text,
      ADD COLUMN statement_count integer,
      ADD COLUMN problems jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN voided_at timestamptz,
      ADD COLUMN void_reason text`);
  await replaceStates(
    knex,
    `'receiving', 'received', 'reading', 'read', 'rejected', 'failed', 'voided'`,
    `'read', 'rejected', 'failed', 'voided'`,
  );
  await knex.raw(
    `ALTER TABLE statement_uploads ADD CONSTRAINT statement_uploads_read_whole
       CHECK (state <> 'read' OR num_nonnulls(format, statement_count) = 2)`,
  );
  await knex.raw(
    `ALTER TABLE statement_uploads ADD CONSTRAINT statement_uploads_voided_whole
       CHECK (num_nonnulls(voided_at, void_reason) = ${isVoided})`,
  );
  const comments = {
    state:
      'receiving: incomplete; received: durable; reading: claimed; rejected: the file cannot be read; failed: the service could not read it; voided: its statements count no more',
    read_lines: 'the lines that were read so far, in the end those of the file',
    format: 'camt.052, camt.053, camt.054, bai2, nacha or csv; null until the file was read',
    problems: 'at most 100 contradictions in the file: line and message',
    void_reason: 'why a person voided the upload',
  };
  for (const [column, text] of Object.entries(comments))
    await knex.raw(`COMMENT ON COLUMN statement_uploads.${column} IS '${text}'`);
}

/** A voided upload becomes one that has failed. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION IF EXISTS void_statements(integer, uuid, text)');
  await knex.raw('DROP FUNCTION IF EXISTS publish_upload(integer, uuid, uuid, jsonb, jsonb, jsonb)');
  await knex.raw('ALTER TABLE statement_uploads DROP CONSTRAINT statement_uploads_voided_whole');
  await knex.raw(
    `UPDATE statement_uploads SET state = 'failed', reason = void_reason WHERE state = 'voided'`,
  );
  await knex.raw('ALTER TABLE statement_uploads DROP CONSTRAINT statement_uploads_read_whole');
  await replaceStates(
    knex,
    `'receiving', 'received', 'reading', 'read', 'rejected', 'failed'`,
    `'read', 'rejected', 'failed'`,
  );
  await knex.raw(`
    ALTER TABLE statement_uploads
      DROP COLUMN format, DROP COLUMN version, DROP COLUMN statement_count, DROP COLUMN problems,
      DROP COLUMN voided_at, DROP COLUMN void_reason`);
  const comments = {
    state:
      'receiving: incomplete; received: durable; reading: claimed; rejected: the file cannot be read; failed: the service could not read it',
    read_lines: null,
  };
  for (const [column, text] of Object.entries(comments))
    await knex.raw(
      `COMMENT ON COLUMN statement_uploads.${column} IS ${text === null ? 'NULL' : `'${text}'`}`,
    );
}
