-- The audit log of operators: a hash chain to which only the function record_operator_action
-- appends, in the transaction of each command. The service's role has no access.

CREATE TABLE operator_actions (
  action_id uuid NOT NULL,
  acted_at timestamptz NOT NULL,
  claimed_operator text NOT NULL,
  database_role text NOT NULL,
  command text NOT NULL,
  target text,
  arguments jsonb NOT NULL DEFAULT '{}',
  result jsonb NOT NULL DEFAULT '{}',
  position bigint NOT NULL,
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT operator_actions_pkey PRIMARY KEY (action_id),
  CONSTRAINT operator_actions_position_key UNIQUE (position),
  CONSTRAINT operator_actions_claimed_operator_length CHECK (char_length(claimed_operator) BETWEEN 1 AND 200),
  CONSTRAINT operator_actions_command_length CHECK (char_length(command) BETWEEN 1 AND 100),
  CONSTRAINT operator_actions_arguments_are_object CHECK (jsonb_typeof(arguments) = 'object'),
  CONSTRAINT operator_actions_result_is_object CHECK (jsonb_typeof(result) = 'object'),
  CONSTRAINT operator_actions_position_positive CHECK (position > 0),
  CONSTRAINT operator_actions_hash_lengths
    CHECK (octet_length(previous_hash) = 32 AND octet_length(hash) = 32)
);
COMMENT ON COLUMN operator_actions.claimed_operator IS
  'unverified note: the setting OPERATOR, or the account and the machine';
COMMENT ON COLUMN operator_actions.database_role IS 'database login of the operator, verified by PostgreSQL';
COMMENT ON COLUMN operator_actions.target IS
  'target of the action; never a user_hash, a user''s name or a secret';
COMMENT ON COLUMN operator_actions.position IS 'from 1, without gaps';
COMMENT ON COLUMN operator_actions.previous_hash IS
  'hash of the previous action; 32 zero bytes at position 1';
COMMENT ON COLUMN operator_actions.hash IS 'SHA-256 of previous_hash and all other columns';
