import type { Knex } from 'knex';

const changes = [
  `ALTER TABLE contribution_money
     ADD COLUMN accepted_gross_cents numeric(30,0),
     ADD COLUMN accepted_returned_cents numeric(30,0),
     ADD COLUMN accepted_at timestamptz,
     ADD CONSTRAINT contribution_money_accepted_whole
       CHECK (num_nulls(accepted_gross_cents, accepted_returned_cents, accepted_at) IN (0, 3))`,
  `CREATE TABLE account_rules (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    number integer NOT NULL,
    direction text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    decided_by text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT account_rules_pkey PRIMARY KEY (environment_id, account_id, number),
    CONSTRAINT account_rules_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
    CONSTRAINT account_rules_direction_known CHECK (direction IN ('credit', 'debit')),
    CONSTRAINT account_rules_code_length CHECK (char_length(code) BETWEEN 1 AND 35),
    CONSTRAINT account_rules_outcome_known CHECK (outcome IN ('charge', 'ignore', 'none')),
    CONSTRAINT account_rules_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
  )`,
  `CREATE TABLE account_numbers (
    environment_id integer NOT NULL,
    account_hmac bytea NOT NULL,
    account_id uuid NOT NULL,
    reason text NOT NULL,
    decided_by text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT account_numbers_pkey PRIMARY KEY (environment_id, account_hmac),
    CONSTRAINT account_numbers_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
    CONSTRAINT account_numbers_number_fkey
      FOREIGN KEY (environment_id, account_hmac) REFERENCES statement_accounts (environment_id, account_hmac),
    CONSTRAINT account_numbers_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
  )`,
  'CREATE INDEX account_numbers_of_account ON account_numbers (environment_id, account_id)',
  `CREATE TABLE month_changes (
    environment_id integer NOT NULL,
    month date NOT NULL,
    number integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    numbers jsonb NOT NULL,
    reason text NOT NULL,
    changed_by text COLLATE "C" NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT month_changes_pkey PRIMARY KEY (environment_id, month, number),
    CONSTRAINT month_changes_environment_fkey
      FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
    CONSTRAINT month_changes_first_day CHECK (EXTRACT(DAY FROM month) = 1),
    CONSTRAINT month_changes_kind_known CHECK (kind IN ('closed', 'reopened')),
    CONSTRAINT month_changes_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
  )`,
];

const comments = {
  'COLUMN contribution_money.accepted_gross_cents':
    'the money with which a person accepted the difference: it counts while the money is the same',
  'TABLE account_rules':
    'what lines of an account with a code are; the newest of a direction and code counts, none ends it',
  'TABLE account_numbers': 'further numbers of accounts: statements under them belong to account_id',
  'TABLE month_changes': 'who closed and reopened months, and why',
  'COLUMN month_changes.numbers': 'balances and terms of each account at that time: see month_numbers',
};

/** What persons decide about accounts, months and money. Nothing reads it yet. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of changes) await knex.raw(statement);
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['month_changes', 'account_numbers', 'account_rules'])
    await knex.raw(`DROP TABLE ${table}`);
  await knex.raw(
    `ALTER TABLE contribution_money DROP COLUMN accepted_gross_cents, DROP COLUMN accepted_returned_cents,
       DROP COLUMN accepted_at`,
  );
}
