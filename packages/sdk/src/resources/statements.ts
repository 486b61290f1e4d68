import { Call, type NoParams, start } from '../call.js';
import { assertInput, ContributionError, DeadlineExceeded } from '../errors.js';
import {
  getReconciliationSummary,
  getStatement,
  importSettlements,
  importStatement,
  listStatementEntries,
  listStatements,
  voidStatement,
  type GetReconciliationSummaryResponse,
  type GetStatementResponse,
  type ImportSettlementsBody,
  type ImportSettlementsResponse,
  type ImportStatementQuery,
  type ImportStatementResponse,
  type ListStatementEntriesQuery,
  type ListStatementEntriesResponse,
  type ListStatementsQuery,
  type ListStatementsResponse,
  type StatementUpload,
  type VoidStatementBody,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import { checkNames } from '../names.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { FileContent } from '../request.js';
import { systemClock, type Transport } from '../transport.js';
import { StatementAccounts } from './statement-accounts.js';
import { StatementEntries } from './statement-entries.js';

/** The name of a column in the header, or its number from 1. */
export type CsvColumn = string | number;

/**
 * How to read the columns of a CSV file. Pass either `amount`, or `credit` and `debit`. The guide
 * explains each member. A dry run says what the mapping must still answer.
 */
export interface CsvMapping {
  /** The column of the booking date. */
  readonly date: CsvColumn;
  /** For example `MM/DD/YYYY`. Default: `YYYY-MM-DD`. */
  readonly date_format?: string | undefined;
  /** The column of a signed amount: a negative one is a debit. */
  readonly amount?: CsvColumn | undefined;
  /** Whether a negative amount is a credit. */
  readonly inverted?: boolean | undefined;
  /** The column of credits without a sign. Each line fills this column or `debit`. */
  readonly credit?: CsvColumn | undefined;
  /** The column of debits without a sign. */
  readonly debit?: CsvColumn | undefined;
  /** The columns of `credit` and `debit` whose amounts are negative. */
  readonly negative?: readonly ('credit' | 'debit')[] | undefined;
  /** The column that says whether a line is a credit or a debit, and its values. */
  readonly direction?:
    | {
        readonly column: CsvColumn;
        readonly credit: readonly string[];
        readonly debit: readonly string[];
        /** Whether the amounts have signs too. */
        readonly signed?: boolean | undefined;
      }
    | undefined;
  /** The column of the status, and its values for booked lines. */
  readonly status?: { readonly column: CsvColumn; readonly booked: readonly string[] } | undefined;
  /** The column of a fee, and whether the amount is without it. */
  readonly fee?:
    | {
        readonly column: CsvColumn;
        readonly is_deducted: boolean;
        readonly is_negative?: boolean | undefined;
      }
    | undefined;
  /** Default: `.`. */
  readonly decimal?: '.' | ',' | undefined;
  /** Default: `,`. */
  readonly delimiter?: ',' | ';' | '\t' | '|' | undefined;
  /** The columns that may contain the `transaction_id`: 1 to 10. */
  readonly texts: readonly CsvColumn[];
  /** Columns that contain one text together, such as a split `transaction_id`. */
  readonly split_texts?: readonly CsvColumn[] | undefined;
  /** The column of the bank's reference. */
  readonly bank_reference?: CsvColumn | undefined;
  /** The column of the bank's code for the kind of line. */
  readonly code?: CsvColumn | undefined;
  /** The column of the currency. */
  readonly currency?: CsvColumn | undefined;
  /** The currency of all lines. */
  readonly currency_code?: string | undefined;
  /** Columns that mean nothing, although they look like a direction, a status or a fee. */
  readonly ignore?: readonly CsvColumn[] | undefined;
  /** The number of the line with the header, or 0 for a file without one. */
  readonly header_line?: number | undefined;
  /** The first day of the file's period, such as 2026-11-01. Pass it together with `to`. */
  readonly from?: string | undefined;
  /** The last day of the file's period. */
  readonly to?: string | undefined;
  /** The balance before the first line, such as `1000.00`. */
  readonly opening_balance?: string | undefined;
  /** The balance after the last line. */
  readonly closing_balance?: string | undefined;
}

/** The parameters of `statements.upload`. */
export interface UploadStatementParams extends Omit<ImportStatementQuery, 'dry_run' | 'mapping'> {
  /** The bytes of the file, not its text. */
  file: FileContent;
  /** For a CSV file. */
  mapping?: CsvMapping | undefined;
  /** Check the file and store nothing. */
  dry_run?: boolean | undefined;
}

/** The parameters of `statements.importSettlements`. */
export interface ImportSettlementsParams {
  /** The contributions that transfers pay, one line for each amount. */
  lines: readonly ImportSettlementsBody[];
}

/** Options of `statements.waitUntilRead`. */
export interface WaitOptions extends CallOptions {
  /** The longest wait, in milliseconds. Default: 600,000, ten minutes. */
  waitMs?: number | undefined;
}

/** Larger files are sent compressed. */
const plainBytes = 4 * 1_048_576;

/** Compresses a large file with gzip, unless it is compressed already. */
async function packed(file: unknown): Promise<FileContent> {
  assertInput(
    ArrayBuffer.isView(file) || file instanceof ArrayBuffer || file instanceof Blob,
    'file',
    'Pass the bytes of the file, not its text.',
  );
  const content = new Blob([file as Blob]);
  const [one, two] = new Uint8Array(await content.slice(0, 2).arrayBuffer());
  // gzip and ZIP
  const isPacked = (one === 0x1f && two === 0x8b) || (one === 0x50 && two === 0x4b);
  if (isPacked || content.size <= plainBytes) return file as FileContent;
  const compressed = new Response(content.stream().pipeThrough(new CompressionStream('gzip')));
  return new Blob([await compressed.arrayBuffer()], { type: 'application/gzip' });
}

/** Statements of your bank, which the service compares with your contributions. */
export class Statements {
  readonly accounts: StatementAccounts;
  readonly entries: StatementEntries;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.accounts = new StatementAccounts(transport);
    this.entries = new StatementEntries(transport);
    this.#transport = transport;
  }

  /**
   * Uploads a file as the bank sent it: camt.052, camt.053, camt.054, BAI2, NACHA returns, or CSV
   * with a `mapping`. A file above 4 MiB is compressed first. The service reads the file later: use
   * `waitUntilRead`. A repeat of the same bytes changes nothing.
   *
   * @throws RequestRejected with `statement_unreadable` in a dry run
   * @example
   * const { file_id } = await client.statements.upload({ file: await readFile('statement.xml') });
   * await client.statements.waitUntilRead(file_id);
   */
  upload(params: UploadStatementParams, options?: CallOptions): Call<ImportStatementResponse> {
    return new Call(async () => {
      checkNames('params', params, 'file account direction mapping dry_run');
      const { file, mapping, ...others } = params;
      const query = { ...others, mapping: mapping && JSON.stringify(mapping) };
      return this.#transport.send(
        { operation: importStatement, query, file: await packed(file), has: 'file_id' },
        options,
      );
    });
  }

  /**
   * Waits until the service has read a file and compared the days of your accounts.
   *
   * @throws ContributionError with the reason if the file was rejected, has failed or was voided;
   *   DeadlineExceeded after `waitMs`
   * @example
   * const { entries, problems } = await client.statements.waitUntilRead(file_id);
   */
  async waitUntilRead(
    fileId: string,
    params?: NoParams,
    options: WaitOptions = {},
  ): Promise<GetStatementResponse> {
    const each = callOptionsOf(options, 'waitMs');
    const { waitMs = 600_000, signal } = options;
    const until = systemClock.now() + waitMs;
    const now = new Date();
    // No contribution is in this range: only the days that are left are of interest.
    const range = { from: now, to: new Date(now.getTime() + 1) };
    for (;;) {
      const file = await this.retrieve(fileId, params, each);
      if (file.state === 'read') {
        const { days_to_compare: days } = await start<GetReconciliationSummaryResponse>(
          this.#transport,
          getReconciliationSummary,
          { query: range, times: 'from to', has: 'positions' },
          each,
        );
        if (days === 0) return file;
      } else if (file.state !== 'received' && file.state !== 'reading')
        throw new ContributionError(`The file is ${file.state}. ${file.reason ?? ''}`);
      if (systemClock.now() > until)
        throw new DeadlineExceeded('The file or a day is not ready. Wait again, and look at the days.');
      await systemClock.wait(1_000, signal);
    }
  }

  /** The files that you uploaded, newest first. */
  list(params?: ListStatementsQuery, options?: CallOptions): List<ListStatementsResponse> {
    return listOf(this.#transport, listStatements, { query: params }, options);
  }

  /**
   * One file, with the accounts that it is about. Its `state` is `read` when its statements are
   * stored.
   *
   * @throws RequestRejected with `statement_not_found`
   * @example
   * const { state, reason } = await client.statements.retrieve(file_id);
   */
  retrieve(fileId: string, params?: NoParams, options?: CallOptions): Call<GetStatementResponse> {
    return start(this.#transport, getStatement, { ids: [fileId], query: params, has: 'file_id' }, options);
  }

  /**
   * The entries of a file, also those that another statement replaces.
   *
   * @example
   * for await (const entry of client.statements.listEntries(file_id))
   *   console.log(entry.amount, entry.explanation);
   */
  listEntries(
    fileId: string,
    params?: ListStatementEntriesQuery,
    options?: CallOptions,
  ): List<ListStatementEntriesResponse> {
    return listOf(this.#transport, listStatementEntries, { ids: [fileId], query: params }, options);
  }

  /**
   * States which contributions a transfer pays. The lines with the same reference are one list. A
   * later list with this reference replaces it.
   *
   * @example
   * await client.statements.importSettlements({
   *   lines: [{ reference: 'FT-1', transaction_id: 'K7Q20CR5M3V9XHG', amount: '25.00' }],
   * });
   */
  importSettlements(params: ImportSettlementsParams, options?: CallOptions): Call<ImportSettlementsResponse> {
    return new Call(() => {
      checkNames('params', params, 'lines');
      const { lines } = params;
      assertInput(Array.isArray(lines), 'lines', 'Pass a list of lines.');
      return this.#transport.send({ operation: importSettlements, lines, has: 'settlements' }, options);
    });
  }

  /**
   * Voids a file. Its entries no longer count, unless another file has them too.
   *
   * @example
   * await client.statements.void(file_id, { reason: 'Uploaded for the wrong account' });
   */
  void(fileId: string, params: VoidStatementBody, options?: CallOptions): Call<StatementUpload> {
    return start(this.#transport, voidStatement, { ids: [fileId], body: params, has: 'file_id' }, options);
  }
}
