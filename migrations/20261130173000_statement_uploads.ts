import type { Knex } from 'knex';

/** Uploaded bank statements, whose bytes are kept, encrypted, until they are read. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE statement_uploads (
      environment_id integer NOT NULL,
      upload_id uuid NOT NULL,
      state text COLLATE "C" NOT NULL DEFAULT 'receiving',
      options_hmac bytea NOT NULL,
      pepper_version integer NOT NULL,
      received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      sha256 bytea,
      byte_count integer,
      chunk_count integer,
      attempts integer NOT NULL DEFAULT 0,
      claim_id uuid,
      claimed_until timestamptz,
      next_attempt_at timestamptz,
      read_lines integer NOT NULL DEFAULT 0,
      reason text,
      ended_at timestamptz,
      CONSTRAINT statement_uploads_pkey PRIMARY KEY (environment_id, upload_id),
      CONSTRAINT statement_uploads_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT statement_uploads_state_known
        CHECK (state IN ('receiving', 'received', 'reading', 'read', 'rejected', 'failed')),
      CONSTRAINT statement_uploads_received_whole CHECK (
        num_nonnulls(sha256, byte_count, chunk_count, next_attempt_at) = CASE WHEN state = 'receiving' THEN 0 ELSE 4 END),
      CONSTRAINT statement_uploads_claimed CHECK (
        num_nonnulls(claim_id, claimed_until) = CASE WHEN state = 'reading' THEN 2 ELSE 0 END),
      CONSTRAINT statement_uploads_ended CHECK ((ended_at IS NOT NULL) = (state IN ('read', 'rejected', 'failed'))),
      CONSTRAINT statement_uploads_reason CHECK ((reason IS NOT NULL) = (state IN ('rejected', 'failed'))),
      CONSTRAINT statement_uploads_not_negative CHECK (byte_count >= 0 AND attempts >= 0 AND read_lines >= 0),
      CONSTRAINT statement_uploads_chunks_range CHECK (chunk_count >= 1)
    )`);
  await knex.raw(
    `CREATE UNIQUE INDEX statement_uploads_content_key ON statement_uploads (environment_id, sha256)
      WHERE state IN ('received', 'reading', 'read')`,
  );
  await knex.raw('CREATE INDEX statement_uploads_by_time ON statement_uploads (environment_id, received_at)');
  await knex.raw(
    `CREATE INDEX statement_uploads_open ON statement_uploads (next_attempt_at)
      WHERE state IN ('receiving', 'received', 'reading')`,
  );
  await knex.raw(`
    CREATE TABLE statement_upload_chunks (
      environment_id integer NOT NULL,
      upload_id uuid NOT NULL,
      number integer NOT NULL,
      sealed bytea NOT NULL,
      CONSTRAINT statement_upload_chunks_pkey PRIMARY KEY (environment_id, upload_id, number),
      CONSTRAINT statement_upload_chunks_upload_fkey
        FOREIGN KEY (environment_id, upload_id) REFERENCES statement_uploads (environment_id, upload_id) ON DELETE CASCADE,
      CONSTRAINT statement_upload_chunks_number_range CHECK (number >= 0)
    )`);
  const comments = {
    'TABLE statement_uploads':
      'uploaded files with bank statements; their bytes are in statement_upload_chunks until they are read',
    'COLUMN statement_uploads.state':
      'receiving: incomplete; received: durable; reading: claimed; rejected: the file cannot be read; failed: the service could not read it',
    'COLUMN statement_uploads.options_hmac':
      'HMAC-SHA-256 under the pepper of the account, direction and mapping of the upload',
    'COLUMN statement_uploads.pepper_version':
      'the pepper from which the key of the chunks is derived; without it, the upload fails after a day',
    'COLUMN statement_uploads.sha256': 'digest of the bytes as they were sent',
    'COLUMN statement_uploads.claimed_until': 'until then, one process reads the upload',
    'COLUMN statement_uploads.reason': 'why it was rejected or has failed, for the uploader',
    'TABLE statement_upload_chunks':
      'the options and the bytes of uploads, compressed and encrypted; deleted when the upload has ended, after a day at the latest',
    'COLUMN statement_upload_chunks.number': '0: the options; the chunks of the file follow',
    'COLUMN statement_upload_chunks.sealed': 'nonce, ciphertext and tag of AES-256-GCM',
  };
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
}

/** Deletes uploads that are not read yet. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE statement_upload_chunks');
  await knex.raw('DROP TABLE statement_uploads');
}
