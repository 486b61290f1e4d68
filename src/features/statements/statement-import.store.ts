import type { FileProblem } from '@contribution-service/bank-files';

import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { ParsedStatement } from './parsed-file';
import type { SourceEntry } from './matching/source-entries';
import { mostFilesPerHour } from './statement-limits.field';

/** An uploaded file that was found by its content. */
export interface StoredFile {
  fileId: string;
  /** `receiving`: the upload was interrupted and must be repeated. */
  state: 'receiving' | 'stored' | 'matched';
  /** The HMAC of the options of that upload. Null for uploads by earlier versions. */
  reading: Buffer | null;
}

export interface NewFile {
  fileId: string;
  sha256: Buffer;
  /** HMAC of the options of the upload. */
  reading: Buffer;
  format: string;
  version: string | null;
  entryCount: number;
  problems: readonly FileProblem[];
}

// $1 environment_id, $2 sha256
const findFile = query(
  'find_statement_file',
  `
  SELECT f.file_id, f.state, f.reading FROM statement_files f
   WHERE f.environment_id = $1 AND f.sha256 = $2 AND f.voided_at IS NULL
  `,
);

// Returns no row if the content is known or the limit is reached. $1 to $8 as in NewFile
const createFile = query(
  'create_statement_file',
  `
  INSERT INTO statement_files (environment_id, file_id, sha256, format, version, entry_count, problems, reading)
  SELECT $1::integer, $2::uuid, $3::bytea, $4::text, $5::text, $6::integer, $7::jsonb, $8::bytea
   WHERE (SELECT count(*) FROM statement_files f
           WHERE f.environment_id = $1 AND f.received_at > statement_timestamp() - interval '1 hour') < ${mostFilesPerHour}
  ON CONFLICT (environment_id, sha256) WHERE voided_at IS NULL DO NOTHING
  RETURNING file_id
  `,
);

// $1 environment_id, $2 account_ids by HMAC, $3 HMACs, $4 ending, $5 direction, $6 name
const createAccount = query(
  'create_statement_account',
  `
  INSERT INTO statement_accounts (environment_id, account_id, account_hmac, ending, direction, name)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT ON CONSTRAINT statement_accounts_hmac_key DO NOTHING
  `,
);

// $1 environment_id, $2 HMACs of each form of the number, under each pepper
const findAccount = query(
  'find_statement_account',
  `
  SELECT a.account_id, a.direction FROM statement_accounts a
   WHERE a.environment_id = $1 AND a.account_hmac = ANY ($2::bytea[])
   ORDER BY a.created_at LIMIT 1
  `,
);

// $1 environment_id, $2 file_id, $3 statements as JSON
const addStatements = query(
  'add_statements',
  `
  INSERT INTO statements
    (environment_id, file_id, number, account_id, bank_statement_id, kind, sequence, period_from, period_to,
     starts_at_ms, ends_at_ms, is_period_known, currency, opening_cents, closing_cents, balance, entry_count, daily_cents, made_at)
  SELECT $1::integer, $2::uuid, n.number, n.account_id, n.bank_statement_id, n.kind, n.sequence, n.period_from, n.period_to,
         n.starts_at_ms, n.ends_at_ms, n.is_period_known, n.currency, n.opening_cents, n.closing_cents, n.balance, n.entry_count, n.daily_cents,
         n.made_at
    FROM jsonb_to_recordset($3::jsonb) AS n (
      number integer, account_id uuid, bank_statement_id text, kind text, sequence numeric, period_from date,
      period_to date, starts_at_ms bigint, ends_at_ms bigint, is_period_known boolean, currency text,
      opening_cents bigint, closing_cents bigint, balance text, entry_count integer, daily_cents jsonb,
      made_at text)
  ON CONFLICT ON CONSTRAINT statements_pkey DO NOTHING
  `,
);

// An earlier upload of the same bytes may have stored some lines.
// $1 environment_id, $2 file_id, $3 lines
const addSources = query(
  'add_entry_sources',
  `
  INSERT INTO entry_sources
    (environment_id, file_id, place, statement_number, line, class_key, occurrence, parent_key, plain_key,
     has_reference, direction, amount_cents, charges_cents, currency, booking_date, bank_reference, problem, return_code, search)
  SELECT $1::integer, $2::uuid, n.place, n.statement_number, n.line, decode(n.class_key, 'hex'), n.occurrence,
         decode(n.parent_key, 'hex'), decode(n.plain_key, 'hex'), n.has_reference, n.direction, n.amount_cents, n.charges_cents, n.currency,
         n.booking_date, n.bank_reference, n.problem, n.return_code, n.search
    FROM jsonb_to_recordset($3::jsonb) AS n (
      place integer, statement_number integer, line integer, class_key text, occurrence integer, parent_key text,
      plain_key text, has_reference boolean, direction text, amount_cents bigint, charges_cents bigint, currency text,
      booking_date date, bank_reference text, problem text, return_code text, search jsonb)
  ON CONFLICT ON CONSTRAINT entry_sources_pkey DO NOTHING
  `,
);

// $1 environment_id, $2 file_id
const markStored = query(
  'mark_statement_file_stored',
  `
  UPDATE statement_files f SET state = 'stored'
   WHERE f.environment_id = $1 AND f.file_id = $2 AND f.state = 'receiving' AND f.voided_at IS NULL
  `,
);

// Voids an upload whose lines were read with other options. $1 environment_id, $2 file_id
const dropUpload = query(
  'drop_interrupted_upload',
  `
  UPDATE statement_files f
     SET voided_at = statement_timestamp(), void_reason = 'The upload was interrupted and repeated with other options'
   WHERE f.environment_id = $1 AND f.file_id = $2 AND f.state = 'receiving' AND f.voided_at IS NULL
  `,
);

// The time in seconds until the limit allows another file. It depends on the oldest file that
// counts.
// $1 environment_id
const readWait = query(
  'read_wait_for_upload',
  `
  SELECT GREATEST(1, ceil(EXTRACT(EPOCH FROM f.received_at + interval '1 hour' - statement_timestamp())))::integer AS seconds
    FROM statement_files f
   WHERE f.environment_id = $1 AND f.received_at > statement_timestamp() - interval '1 hour'
   ORDER BY f.received_at DESC OFFSET ${mostFilesPerHour - 1} LIMIT 1
  `,
);

/** A line with the keys of its class and of its batch entry. */
export interface KeyedSource extends SourceEntry {
  place: number;
  classKey: string;
  parentKey: string | null;
  /** The key of the class that the line would have without the bank's reference. */
  plainKey: string | null;
}

export interface KnownAccount {
  accountId: string;
  direction: 'credit' | 'debit';
}

export type StatementImportStore = ReturnType<typeof createStatementImportStore>;

export interface NewStatement extends ParsedStatement {
  number: number;
  accountId: string;
}

const statementRow = ({ time, ...given }: NewStatement) => ({
  number: given.number,
  account_id: given.accountId,
  bank_statement_id: given.id,
  kind: given.kind,
  sequence: given.sequence?.toString() ?? null,
  period_from: time.periodFrom,
  period_to: time.periodTo,
  starts_at_ms: time.startsAtMs,
  ends_at_ms: time.endsAtMs,
  is_period_known: time.isKnown,
  currency: given.currency,
  opening_cents: given.openingCents?.toString() ?? null,
  closing_cents: given.closingCents?.toString() ?? null,
  balance: given.balance,
  entry_count: given.entryCount,
  daily_cents: given.dailyCents,
  made_at: given.madeAt,
});

const sourceRow = (source: KeyedSource) => ({
  place: source.place,
  statement_number: source.statementNumber,
  line: source.line,
  class_key: source.classKey,
  occurrence: source.occurrence,
  parent_key: source.parentKey,
  plain_key: source.plainKey,
  has_reference: source.hasReference,
  direction: source.direction,
  amount_cents: source.amountCents?.toString() ?? null,
  charges_cents: source.chargesCents.toString(),
  currency: source.currency,
  booking_date: source.bookingDate,
  bank_reference: source.bankReference,
  problem: source.problem,
  return_code: source.returnCode,
  search: source.search,
});

export function createStatementImportStore(database: Pick<Database, 'run'>) {
  async function readAccount(
    environmentId: number,
    hmacs: readonly Buffer[],
  ): Promise<KnownAccount | undefined> {
    const [row] = await database.run<{ account_id: string; direction: KnownAccount['direction'] }>(
      findAccount,
      [environmentId, hmacs],
    );
    return row && { accountId: row.account_id, direction: row.direction };
  }
  return {
    /** @param hmacs of the account number under each pepper */
    findAccount: readAccount,
    async find(environmentId: number, sha256: Buffer): Promise<StoredFile | undefined> {
      const [row] = await database.run<{
        file_id: string;
        state: StoredFile['state'];
        reading: Buffer | null;
      }>(findFile, [environmentId, sha256]);
      return row && { fileId: row.file_id, state: row.state, reading: row.reading };
    },
    /** @returns false if the content is known, or the limit is reached */
    async create(environmentId: number, file: NewFile) {
      const rows = await database.run(createFile, [
        environmentId,
        file.fileId,
        file.sha256,
        file.format,
        file.version,
        file.entryCount,
        JSON.stringify(file.problems),
        file.reading,
      ]);
      return rows.length > 0;
    },
    /**
     * Finds the account with this number, or creates it.
     *
     * @param hmacs of the number under each pepper; a new account gets the first one
     */
    async account(
      environmentId: number,
      hmacs: readonly Buffer[],
      { accountId, ending, name, direction }: KnownAccount & { ending: string | null; name: string | null },
    ): Promise<KnownAccount> {
      const known = await readAccount(environmentId, hmacs);
      if (known) return known;
      await database.run(createAccount, [environmentId, accountId, hmacs[0], ending, direction, name]);
      // A concurrent upload may have created the account.
      return (await readAccount(environmentId, hmacs)) ?? { accountId, direction };
    },
    async addStatements(environmentId: number, fileId: string, statements: readonly NewStatement[]) {
      const rows = JSON.stringify(statements.map(statementRow));
      await database.run(addStatements, [environmentId, fileId, rows]);
    },
    async addSources(environmentId: number, fileId: string, sources: readonly KeyedSource[]) {
      await database.run(addSources, [environmentId, fileId, JSON.stringify(sources.map(sourceRow))]);
    },
    async markStored(environmentId: number, fileId: string) {
      await database.run(markStored, [environmentId, fileId]);
    },
    /** Voids an interrupted upload. */
    async drop(environmentId: number, fileId: string) {
      await database.run(dropUpload, [environmentId, fileId]);
    },
    /** Seconds until the limit allows another file. */
    async secondsUntilFree(environmentId: number) {
      const [row] = await database.run<{ seconds: number }>(readWait, [environmentId]);
      return row?.seconds ?? 1;
    },
  };
}
