import type { FileProblem } from '@contribution-service/bank-files';

import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import { bucketOf } from '../days/buckets';
import { bucketKey } from '../rules/counting/near-lines';
import type { ComparedLine, StatementDay, StatementHead } from '../rules/reading/statement';
import { batchHash, moneyHash } from './line-hashes';
import type { NumberedLine } from './number-equal-lines';
import { comparedLineOf, type ComparedLineRow, statementDayOf, type StatementDayRow } from './statement-rows';

/** A statement that was read completely, with its days. */
export interface ReadStatement {
  fileId: string;
  accountId: string;
  head: StatementHead;
  days: readonly StatementDay[];
}

/** What an upload contained, for its list. */
export interface PublishedFile {
  format: StatementHead['format'];
  version: string | null;
  lines: number;
  problems: readonly FileProblem[];
}

/** An upload that this process may end. */
interface ClaimKey {
  environmentId: number;
  uploadId: string;
  claimId: string;
}

// An upload that was interrupted may have stored some lines.
// $1 environment_id, $2 account_id, $3 lines
const addLines = query(
  'add_statement_lines',
  `
  INSERT INTO statement_lines
    (environment_id, account_id, statement_id, number, day, bucket, direction, amount_cents, charges_cents,
     stated_cents, reference, ids, problem, content, digest, own_day, return_code, code, search, batch_cents, is_part,
     money_hash, batch_hash)
  SELECT $1::integer, $2::uuid, n.statement_id, n.number, n.day, n.bucket, n.direction, n.amount_cents,
         n.charges_cents, n.stated_cents, n.reference, n.ids, n.problem, n.content, n.digest, n.own_day,
         n.return_code, n.code, n.search, n.batch_cents, n.is_part, n.money_hash, n.batch_hash
    FROM jsonb_to_recordset($3::jsonb) AS n (
      statement_id uuid, number integer, day date, bucket smallint, direction text, amount_cents bigint,
      charges_cents bigint, stated_cents bigint, reference text, ids text, problem text, content text,
      digest text, own_day date, return_code text, code text, search jsonb, batch_cents bigint, is_part boolean,
      money_hash bigint, batch_hash bigint)
  ON CONFLICT ON CONSTRAINT statement_lines_pkey DO NOTHING
  `,
);

// A completion, list or return under one of these references may explain the lines.
// $1 environment_id, $2 account_id, $3 references with days and buckets
const addReferences = query(
  'add_line_references',
  `
  INSERT INTO line_references (environment_id, reference, account_id, day, bucket)
  SELECT DISTINCT $1::integer, n.reference, $2::uuid, n.day, n.bucket
    FROM jsonb_to_recordset($3::jsonb) AS n (reference text, day date, bucket smallint)
  ON CONFLICT ON CONSTRAINT line_references_pkey DO NOTHING
  `,
);

// $1 environment_id, $2 statements, $3 their days
const publishStatements = query('publish_statements', 'SELECT publish_statements($1, $2::jsonb, $3::jsonb)', {
  writes: true,
});

// $1 environment_id, $2 upload_id, $3 claim_id, $4 what the file is, $5 statements, $6 their days
const publishUpload = query(
  'publish_upload',
  'SELECT publish_upload($1, $2, $3, $4::jsonb, $5::jsonb, $6::jsonb) AS is_published',
  { writes: true },
);

// $1 environment_id, $2 file_id, $3 reason
const voidStatements = query('void_statements', 'SELECT void_statements($1, $2, $3) AS statements', {
  writes: true,
});

// $1 environment_id, $2 account_id, $3 day
const readDay = query(
  'read_statement_days',
  `
  SELECT s.statement_id, s.format, s.is_final, s.bank_id, s.number, s.made_at, s.first_day::text, s.last_day::text,
         s.start_ms, s.end_ms, s.is_period_stated, s.covers_to::text, s.opening_cents, s.closing_cents,
         s.change_cents AS statement_cents, s.is_damaged, s.page_number, s.is_last_page, s.digest AS statement_digest,
         d.day::text, d.before_cents, d.change_cents
    FROM statement_days d
    JOIN bank_statements s ON s.environment_id = d.environment_id AND s.statement_id = d.statement_id
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND s.voided_at IS NULL
   ORDER BY d.statement_id
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 statement_ids
const readComparedLines = query(
  'read_lines_to_compare',
  `
  SELECT l.statement_id, l.number, l.direction, l.amount_cents, l.reference, l.ids, l.problem,
         l.is_part, l.content
    FROM statement_lines l
   WHERE l.environment_id = $1 AND l.account_id = $2 AND l.day = $3::date AND l.statement_id = ANY ($4::uuid[])
   ORDER BY l.statement_id, l.number
  `,
);

const referenceRows = (line: NumberedLine) => {
  const references = new Set([
    ...line.search.identifiers,
    ...(line.reference === null ? [] : [line.reference]),
  ]);
  const bucket = bucketOf(bucketKey(line), line.occurrence);
  return [...references].map((reference) => ({ reference, day: line.day, bucket }));
};

const lineRow = (accountId: string, line: NumberedLine) => ({
  statement_id: line.statementId,
  number: line.number,
  day: line.day,
  bucket: bucketOf(bucketKey(line), line.occurrence),
  direction: line.direction,
  amount_cents: line.cents.toString(),
  charges_cents: line.chargesCents.toString(),
  stated_cents: line.statedCents?.toString() ?? null,
  reference: line.reference,
  ids: line.ids,
  problem: line.problem,
  content: line.content,
  digest: line.digest,
  own_day: line.ownDay,
  return_code: line.returnCode,
  code: line.code,
  search: line.search,
  batch_cents: line.batchCents?.toString() ?? null,
  is_part: line.isPart,
  money_hash: moneyHash(accountId, line),
  batch_hash: batchHash(accountId, line),
});

const headRow = ({ fileId, accountId, head }: ReadStatement) => ({
  statement_id: head.statementId,
  file_id: fileId,
  account_id: accountId,
  format: head.format,
  is_final: head.isFinal,
  bank_id: head.bankId,
  number: head.number?.toString() ?? null,
  made_at: head.madeAt,
  first_day: head.from,
  last_day: head.to,
  start_ms: head.startMs,
  end_ms: head.endMs,
  is_period_stated: head.isPeriodStated,
  covers_to: head.coversTo,
  opening_cents: head.openingCents?.toString() ?? null,
  closing_cents: head.closingCents?.toString() ?? null,
  change_cents: head.changeCents.toString(),
  is_damaged: head.isDamaged,
  page_number: head.page?.number ?? null,
  is_last_page: head.page?.isLast ?? null,
  digest: head.digest,
});

const dayRow = (accountId: string, day: StatementDay) => ({
  account_id: accountId,
  day: day.day,
  statement_id: day.statement.statementId,
  before_cents: day.beforeCents.toString(),
  change_cents: day.changeCents.toString(),
});

/** The statements and their days, as the functions that publish them take them. */
const publishedRows = (statements: readonly ReadStatement[]): [string, string] => [
  JSON.stringify(statements.map(headRow)),
  JSON.stringify(statements.flatMap(({ accountId, days }) => days.map((day) => dayRow(accountId, day)))),
];

/** The statements of accounts, what they state of each day, and their lines. */
export function createStatementLinesStore(database: Pick<Database, 'run'>) {
  return {
    /** Stores lines of a statement that is being read. They do not count before `publish`. */
    async addLines(environmentId: number, accountId: string, lines: readonly NumberedLine[]) {
      const rows = JSON.stringify(lines.map((line) => lineRow(accountId, line)));
      await database.run(addReferences, [
        environmentId,
        accountId,
        JSON.stringify(lines.flatMap(referenceRows)),
      ]);
      await database.run(addLines, [environmentId, accountId, rows]);
    },
    /**
     * Makes statements count after all of their lines were added, and queues their days.
     * Idempotent.
     */
    async publish(environmentId: number, statements: readonly ReadStatement[]) {
      await database.run(publishStatements, [environmentId, ...publishedRows(statements)]);
    },
    /**
     * Ends an upload, deletes its bytes, and publishes its statements, in one transaction.
     *
     * @returns false, and changes nothing, if the claim was lost or the upload was voided
     */
    async publishUpload(
      { environmentId, uploadId, claimId }: ClaimKey,
      file: PublishedFile,
      statements: readonly ReadStatement[],
    ): Promise<boolean> {
      const [row] = await database.run<{ is_published: boolean }>(publishUpload, [
        ...[environmentId, uploadId, claimId, JSON.stringify(file)],
        ...publishedRows(statements),
      ]);
      return row?.is_published ?? false;
    },
    /**
     * Voids the upload of a file with its statements, also while it is being read. Idempotent.
     *
     * @returns the number of statements that this call has voided. `month_closed`, and voids none,
     *   if one of them states a day of a closed month
     */
    async void(environmentId: number, fileId: string, reason: string): Promise<number | 'month_closed'> {
      const values = [environmentId, fileId, reason];
      const [row] = await database.run<{ statements: number | null }>(voidStatements, values);
      return row?.statements ?? 'month_closed';
    },
    /** What the statements of an account state of a day. */
    async daysOf(environmentId: number, accountId: string, day: string): Promise<StatementDay[]> {
      const rows = await database.run<StatementDayRow>(readDay, [environmentId, accountId, day]);
      return rows.map(statementDayOf);
    },
    /** The lines of some statements of a day, as far as versions are compared by them. */
    async linesToCompare(
      environmentId: number,
      accountId: string,
      day: string,
      statementIds: readonly string[],
    ): Promise<ComparedLine[]> {
      const values = [environmentId, accountId, day, statementIds];
      return (await database.run<ComparedLineRow>(readComparedLines, values)).map(comparedLineOf);
    },
  };
}

export type StatementLinesStore = ReturnType<typeof createStatementLinesStore>;
