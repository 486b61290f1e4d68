import type { Knex } from 'knex';

/**
 * What each environment with statements has already compared, so that a later completion, list or
 * bank link compares the entries again that wait for it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE matching_progress (
      environment_id integer NOT NULL,
      seen_sequence bigint NOT NULL DEFAULT 0,
      matched_sequence bigint NOT NULL DEFAULT 0,
      seen_lists integer NOT NULL DEFAULT 0,
      matched_lists integer NOT NULL DEFAULT 0,
      seen_links integer NOT NULL DEFAULT 0,
      matched_links integer NOT NULL DEFAULT 0,
      claimed_until timestamptz,
      CONSTRAINT matching_progress_pkey PRIMARY KEY (environment_id),
      CONSTRAINT matching_progress_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT matching_progress_seen_first
        CHECK (matched_sequence <= seen_sequence AND matched_lists <= seen_lists AND matched_links <= seen_links)
    );
    COMMENT ON COLUMN matching_progress.seen_sequence IS 'entries are derived with all events of the feed up to this one';
    COMMENT ON COLUMN matching_progress.matched_sequence IS 'entries that wait for events up to this one are derived again';
    COMMENT ON COLUMN matching_progress.seen_links IS 'the number of starts and ends of links in which the environment is the bank';

    CREATE TABLE entry_references (
      environment_id integer NOT NULL,
      reference text COLLATE "C" NOT NULL,
      class_key bytea NOT NULL,
      CONSTRAINT entry_references_pkey PRIMARY KEY (environment_id, reference, class_key),
      CONSTRAINT entry_references_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id)
    );
    COMMENT ON TABLE entry_references IS 'the entries without a known transaction id, by the references that may name a settlement';

    GRANT SELECT (environment_id, seen_sequence, matched_sequence, seen_lists, matched_lists, seen_links, matched_links,
                  claimed_until),
          INSERT (environment_id, seen_sequence, matched_sequence, seen_links, matched_links),
          UPDATE (seen_sequence, matched_sequence, seen_lists, matched_lists, seen_links, matched_links, claimed_until)
      ON matching_progress TO contribution_service;
    GRANT SELECT (environment_id, reference, class_key), INSERT (environment_id, reference, class_key) ON entry_references TO contribution_service`);
  // Statements that were uploaded before.
  await knex.raw(`
    INSERT INTO matching_progress (environment_id)
    SELECT DISTINCT f.environment_id FROM statement_files f`);
  await knex.raw(`
    INSERT INTO entry_references (environment_id, reference, class_key)
    SELECT DISTINCT s.environment_id, i.reference, s.class_key
      FROM entry_sources s, jsonb_array_elements_text(s.search -> 'identifiers') AS i (reference)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE entry_references; DROP TABLE matching_progress');
}
