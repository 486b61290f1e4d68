import type { Knex } from 'knex';

/**
 * The audit log becomes a hash chain that only a function appends to. The function takes the login
 * (`session_user`) and the time from the server, so a command cannot forge them. Decision record 37
 * documents the serialization.
 */
const serialization = `
  -- Each field as <bytes in UTF-8>:<text>, or - for null, each followed by a comma.
  SELECT sha256(convert_to(string_agg(
           COALESCE(octet_length(convert_to(field.text, 'UTF8')) || ':' || field.text, '-') || ',', '' ORDER BY field.number), 'UTF8'))
    FROM unnest(ARRAY[
           encode(previous_hash, 'hex'), "position"::text, action_id::text,
           to_char(acted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), database_role, claimed_operator, command,
           target, arguments::text, result::text
         ]) WITH ORDINALITY AS field (text, number)`;

const chainExistingActions = `\
    -- Chains the actions of version 0.1.0 in the order in which they were listed.
    ALTER TABLE operator_actions DISABLE TRIGGER operator_actions_guard;
    DO $$
    DECLARE
      action operator_actions;
      last_position bigint := 0;
      last_hash bytea := decode(repeat('00', 32), 'hex');
    BEGIN
      FOR action IN SELECT * FROM operator_actions ORDER BY acted_at, action_id LOOP
        last_position := last_position + 1;
        UPDATE operator_actions a
           SET "position" = last_position, previous_hash = last_hash,
               hash = operator_action_hash(last_hash, last_position, a.action_id, a.acted_at, a.database_role,
                                           a.claimed_operator, a.command, a.target, a.arguments, a.result)
         WHERE a.action_id = action.action_id
        RETURNING a.hash INTO last_hash;
      END LOOP;
    END $$;
    ALTER TABLE operator_actions ENABLE TRIGGER operator_actions_guard;`;

const createRecordFunction = `\
    CREATE FUNCTION record_operator_action(
      action_id uuid, claimed_operator text, command text, target text, arguments jsonb, result jsonb
    ) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      last_position bigint;
      last_hash bytea;
      recorded_at timestamptz;
    BEGIN
      -- Held until the end of the transaction. No other role can take it, and readers do not wait for it.
      LOCK TABLE public.operator_actions IN SHARE ROW EXCLUSIVE MODE;
      -- A statement of its own: it sees what the holder before has committed.
      SELECT a."position", a.hash INTO last_position, last_hash
        FROM public.operator_actions a ORDER BY a."position" DESC LIMIT 1;
      last_position := COALESCE(last_position, 0) + 1;
      last_hash := COALESCE(last_hash, decode(repeat('00', 32), 'hex'));
      recorded_at := clock_timestamp();
      INSERT INTO public.operator_actions
             (action_id, acted_at, database_role, claimed_operator, command, target, arguments, result, "position",
              previous_hash, hash)
      VALUES (action_id, recorded_at, session_user, claimed_operator, command, target, arguments, result, last_position,
              last_hash,
              public.operator_action_hash(last_hash, last_position, action_id, recorded_at, session_user, claimed_operator,
                                          command, target, arguments, result));
      RETURN last_position;
    END $$;`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE operator_actions RENAME COLUMN operator TO claimed_operator;
    ALTER TABLE operator_actions
      RENAME CONSTRAINT operator_actions_operator_length TO operator_actions_claimed_operator_length;
    ALTER TABLE operator_actions
      ALTER COLUMN acted_at DROP DEFAULT,
      ALTER COLUMN database_role DROP DEFAULT,
      ADD COLUMN "position" bigint,
      ADD COLUMN previous_hash bytea,
      ADD COLUMN hash bytea;

    CREATE FUNCTION operator_action_hash(
      previous_hash bytea, "position" bigint, action_id uuid, acted_at timestamptz, database_role text, claimed_operator text,
      command text, target text, arguments jsonb, result jsonb
    ) RETURNS bytea LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$${serialization}$$;

${chainExistingActions}

    ALTER TABLE operator_actions
      ALTER COLUMN "position" SET NOT NULL,
      ALTER COLUMN previous_hash SET NOT NULL,
      ALTER COLUMN hash SET NOT NULL,
      ADD CONSTRAINT operator_actions_position_key UNIQUE ("position"),
      ADD CONSTRAINT operator_actions_position_positive CHECK ("position" > 0),
      ADD CONSTRAINT operator_actions_hash_lengths CHECK (octet_length(previous_hash) = 32 AND octet_length(hash) = 32);
    -- The order of the chain is the order of the list.
    DROP INDEX operator_actions_by_time;
    COMMENT ON COLUMN operator_actions.database_role IS 'database login of the operator, verified by PostgreSQL';
    COMMENT ON COLUMN operator_actions.claimed_operator IS
      'unverified note: the setting OPERATOR, or the account and the machine';
    COMMENT ON COLUMN operator_actions."position" IS 'from 1, without gaps';
    COMMENT ON COLUMN operator_actions.previous_hash IS 'hash of the previous action; 32 zero bytes at position 1';
    COMMENT ON COLUMN operator_actions.hash IS 'SHA-256 of previous_hash and all other columns';

${createRecordFunction}
    REVOKE ALL ON FUNCTION record_operator_action(uuid, text, text, text, jsonb, jsonb) FROM PUBLIC;
    REVOKE ALL ON FUNCTION
      operator_action_hash(bytea, bigint, uuid, timestamptz, text, text, text, text, jsonb, jsonb) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION record_operator_action(uuid, text, text, text, jsonb, jsonb) TO contribution_operator;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION record_operator_action(uuid, text, text, text, jsonb, jsonb);
    DROP FUNCTION operator_action_hash(bytea, bigint, uuid, timestamptz, text, text, text, text, jsonb, jsonb);
    ALTER TABLE operator_actions DROP COLUMN "position", DROP COLUMN previous_hash, DROP COLUMN hash,
      ALTER COLUMN acted_at SET DEFAULT clock_timestamp(), ALTER COLUMN database_role SET DEFAULT session_user;
    ALTER TABLE operator_actions
      RENAME CONSTRAINT operator_actions_claimed_operator_length TO operator_actions_operator_length;
    ALTER TABLE operator_actions RENAME COLUMN claimed_operator TO operator;
    CREATE INDEX operator_actions_by_time ON operator_actions (acted_at, action_id);
    COMMENT ON COLUMN operator_actions.operator IS 'the setting OPERATOR, or the account and the machine';
    COMMENT ON COLUMN operator_actions.database_role IS NULL;
  `);
}
