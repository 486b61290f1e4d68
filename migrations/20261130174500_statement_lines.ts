import type { Knex } from 'knex';

const tables = [
  `CREATE TABLE bank_statements (
    environment_id integer NOT NULL,
    statement_id uuid NOT NULL,
    file_id uuid NOT NULL,
    account_id uuid NOT NULL,
    format text COLLATE "C" NOT NULL,
    is_final boolean NOT NULL,
    bank_id text,
    number numeric(18,0),
    made_at text,
    first_day date NOT NULL,
    last_day date NOT NULL,
    start_ms integer NOT NULL,
    end_ms integer NOT NULL,
    is_period_stated boolean NOT NULL,
    covers_to date NOT NULL,
    opening_cents bigint,
    closing_cents bigint,
    change_cents numeric(30,0) NOT NULL,
    is_damaged boolean NOT NULL,
    page_number integer,
    is_last_page boolean,
    digest text COLLATE "C" NOT NULL,
    voided_at timestamptz,
    CONSTRAINT bank_statements_pkey PRIMARY KEY (environment_id, statement_id),
    CONSTRAINT bank_statements_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
    CONSTRAINT bank_statements_period_ordered CHECK (first_day <= last_day AND start_ms BETWEEN 0 AND 86400000
      AND end_ms BETWEEN 0 AND 86400000),
    CONSTRAINT bank_statements_page_whole CHECK ((page_number IS NULL) = (is_last_page IS NULL))
  )`,
  `CREATE TABLE statement_days (
    environment_id integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    statement_id uuid NOT NULL,
    before_cents numeric(30,0) NOT NULL,
    change_cents numeric(30,0) NOT NULL,
    CONSTRAINT statement_days_pkey PRIMARY KEY (environment_id, account_id, day, statement_id),
    CONSTRAINT statement_days_statement_fkey
      FOREIGN KEY (environment_id, statement_id) REFERENCES bank_statements (environment_id, statement_id)
  )`,
  `CREATE TABLE statement_lines (
    environment_id integer NOT NULL,
    statement_id uuid NOT NULL,
    number integer NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    bucket smallint NOT NULL,
    direction text COLLATE "C" NOT NULL,
    amount_cents bigint NOT NULL,
    charges_cents bigint NOT NULL,
    stated_cents bigint,
    reference text COLLATE "C",
    ids text COLLATE "C" NOT NULL,
    problem text COLLATE "C",
    content text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    own_day date,
    return_code text,
    search jsonb NOT NULL,
    batch_cents bigint,
    is_part boolean NOT NULL,
    money_hash bigint NOT NULL,
    batch_hash bigint NOT NULL,
    CONSTRAINT statement_lines_pkey PRIMARY KEY (environment_id, statement_id, number),
    CONSTRAINT statement_lines_account_fkey
      FOREIGN KEY (environment_id, account_id) REFERENCES statement_accounts (environment_id, account_id),
    CONSTRAINT statement_lines_bucket_range CHECK (bucket BETWEEN 0 AND 1023),
    CONSTRAINT statement_lines_direction_known CHECK (direction IN ('credit', 'debit')),
    CONSTRAINT statement_lines_amount_not_negative CHECK (amount_cents >= 0 AND charges_cents >= 0),
    CONSTRAINT statement_lines_reference_length CHECK (char_length(reference) <= 140)
  )`,
  'CREATE INDEX bank_statements_of_file ON bank_statements (environment_id, file_id)',
  'CREATE INDEX statement_days_of_statement ON statement_days (environment_id, statement_id)',
  'CREATE INDEX statement_lines_of_day ON statement_lines (environment_id, account_id, day, bucket)',
  'CREATE INDEX statement_lines_by_money ON statement_lines (environment_id, account_id, money_hash, day)',
  'CREATE INDEX statement_lines_by_batch ON statement_lines (environment_id, account_id, batch_hash, day)',
];

const comments = {
  'TABLE bank_statements': 'the statements, reports and notifications of files that were read completely',
  'COLUMN bank_statements.is_final': 'only a final statement states what its days are',
  'COLUMN bank_statements.start_ms':
    'for a part of a day: where it starts and ends, in milliseconds from midnight',
  'COLUMN bank_statements.covers_to': 'the last day that it can cover: none after its upload',
  'COLUMN bank_statements.digest': 'equal for statements with equal content',
  'TABLE statement_days': 'what one statement states of one day, inserted when all of its lines are stored',
  'COLUMN statement_days.before_cents': 'the signed sum of its lines of earlier days',
  'TABLE statement_lines':
    'booked lines: entries, their parts, or their charges. Without the texts, which may have names',
  'COLUMN statement_lines.own_day':
    'the day that the bank states, if the line was moved to a day of its statement',
  'COLUMN statement_lines.content': 'equal for lines that state the same in all members',
  'COLUMN statement_lines.digest': 'a digest of the ids, or of the text if there are none',
  'COLUMN statement_lines.money_hash':
    'a digest of what is equal in lines of other days about the same money: see moneyKey',
  'COLUMN statement_lines.batch_cents': 'the signed amount of its batch entry, or of a line that may be one',
};

/** The lines of statements, and what each statement states of each day. Nothing reads it yet. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of tables) await knex.raw(statement);
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE statement_lines');
  await knex.raw('DROP TABLE statement_days');
  await knex.raw('DROP TABLE bank_statements');
}
