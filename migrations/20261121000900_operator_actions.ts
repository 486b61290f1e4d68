import type { Knex } from 'knex';

/**
 * The audit log of operators, appended in the transaction of each command and never changed. The
 * service's role has no access.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE operator_actions (
      action_id uuid NOT NULL,
      acted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      operator text NOT NULL,
      database_role text NOT NULL DEFAULT session_user,
      command text NOT NULL,
      target text,
      arguments jsonb NOT NULL DEFAULT '{}',
      result jsonb NOT NULL DEFAULT '{}',
      CONSTRAINT operator_actions_pkey PRIMARY KEY (action_id),
      CONSTRAINT operator_actions_operator_length CHECK (char_length(operator) BETWEEN 1 AND 200),
      CONSTRAINT operator_actions_command_length CHECK (char_length(command) BETWEEN 1 AND 100),
      CONSTRAINT operator_actions_arguments_are_object CHECK (jsonb_typeof(arguments) = 'object'),
      CONSTRAINT operator_actions_result_is_object CHECK (jsonb_typeof(result) = 'object')
    );
    COMMENT ON COLUMN operator_actions.operator IS 'the setting OPERATOR, or the account and the machine';
    COMMENT ON COLUMN operator_actions.target IS 'target of the action; never a user_hash, a user''s name or a secret';
    CREATE INDEX operator_actions_by_time ON operator_actions (acted_at, action_id);

    CREATE FUNCTION guard_operator_actions() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'what an operator did is never changed or removed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'operator_actions_append_only', TABLE = TG_TABLE_NAME;
    END $$;
    CREATE TRIGGER operator_actions_guard BEFORE UPDATE OR DELETE ON operator_actions
      FOR EACH ROW EXECUTE FUNCTION guard_operator_actions();
    CREATE TRIGGER operator_actions_guard_truncate BEFORE TRUNCATE ON operator_actions
      FOR EACH STATEMENT EXECUTE FUNCTION guard_operator_actions();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE operator_actions; DROP FUNCTION guard_operator_actions()');
}
