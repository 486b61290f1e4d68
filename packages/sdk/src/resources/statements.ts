import { Call, type NoParams, start } from '../call.js';
import { assertInput } from '../errors.js';
import {
  decideEntry,
  getStatement,
  importSettlements,
  importStatement,
  listDecisions,
  listStatementAccountDays,
  listStatementAccounts,
  listStatementEntries,
  listStatements,
  setStatementAccount,
  voidStatement,
  type DecideEntryBody,
  type DecideEntryResponse,
  type ImportSettlementsBody,
  type ImportSettlementsResponse,
  type ImportStatementQuery,
  type ImportStatementResponse,
  type ListDecisionsResponse,
  type ListStatementAccountDaysQuery,
  type ListStatementAccountDaysResponse,
  type ListStatementAccountsQuery,
  type ListStatementAccountsResponse,
  type ListStatementEntriesQuery,
  type ListStatementEntriesResponse,
  type ListStatementsQuery,
  type ListStatementsResponse,
  type SetStatementAccountBody,
  type StatementAccount,
  type StatementFile,
  type VoidStatementBody,
} from '../generated/api.js';
import { type List, listOf, shortListOf } from '../list.js';
import { checkNames } from '../names.js';
import type { CallOptions } from '../options.js';
import type { FileContent } from '../request.js';
import type { Transport } from '../transport.js';

/**
 * How to read the columns of a CSV file. Columns are named as in the header of the file. Pass
 * either `amount`, or `credit` and `debit`.
 */
export interface CsvMapping {
  /** The column of the booking date. */
  readonly date: string;
  /** Default: `YYYY-MM-DD`. */
  readonly date_format?: 'YYYY-MM-DD' | 'MM/DD/YYYY' | 'DD/MM/YYYY' | 'DD.MM.YYYY' | undefined;
  /** The column of a signed amount: a negative one is a debit. */
  readonly amount?: string | undefined;
  /** The column of credits without a sign. Each line fills this column or `debit`. */
  readonly credit?: string | undefined;
  /** The column of debits without a sign. */
  readonly debit?: string | undefined;
  /** Default: `.`. */
  readonly decimal?: '.' | ',' | undefined;
  /** Default: `,`. */
  readonly delimiter?: ',' | ';' | '\t' | '|' | undefined;
  /** The columns that may contain the `transaction_id`: 1 to 10. */
  readonly texts: readonly string[];
  /** The column of the bank's reference. */
  readonly bank_reference?: string | undefined;
  /** The column of the currency. */
  readonly currency?: string | undefined;
  /** The first day of the file's period, such as 2026-11-01. Pass it together with `to`. */
  readonly from?: string | undefined;
  /** The last day of the file's period. */
  readonly to?: string | undefined;
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

function checkFile(file: unknown): FileContent {
  assertInput(
    ArrayBuffer.isView(file) || file instanceof ArrayBuffer || file instanceof Blob,
    'file',
    'Pass the bytes of the file, not its text.',
  );
  return file as FileContent;
}

/** The accounts of your statements. */
export class StatementAccounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The accounts in your uploaded statements, oldest first. */
  list(params?: ListStatementAccountsQuery, options?: CallOptions): List<ListStatementAccountsResponse> {
    return listOf(this.#transport, listStatementAccounts, { query: params }, options);
  }

  /**
   * For each day from `from` to before `to`: whether the entries that count add up to the movement
   * of the balances.
   *
   * @example
   * const november = { from: '2026-11-01', to: '2026-12-01' };
   * const days = client.statements.accounts.listDays(account_id, november);
   * for await (const { day, state, difference } of days)
   *   if (state === 'different') console.log(day, difference);
   */
  listDays(
    accountId: string,
    params: ListStatementAccountDaysQuery,
    options?: CallOptions,
  ): List<ListStatementAccountDaysResponse> {
    return listOf(this.#transport, listStatementAccountDays, { ids: [accountId], query: params }, options);
  }

  /**
   * Sets whether the statements of an account show all money of your contributions. An absent
   * optional member keeps its value.
   *
   * @example
   * await client.statements.accounts.update(account_id, { complete_coverage: true });
   */
  update(accountId: string, params: SetStatementAccountBody, options?: CallOptions): Call<StatementAccount> {
    return start(
      this.#transport,
      setStatementAccount,
      { ids: [accountId], body: params, has: 'account_id' },
      options,
    );
  }
}

/** Statements of your bank, which the service compares with your contributions. */
export class Statements {
  readonly accounts: StatementAccounts;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.accounts = new StatementAccounts(transport);
    this.#transport = transport;
  }

  /**
   * Uploads a file as the bank sent it: camt.052, camt.053, camt.054, BAI2, NACHA returns, or CSV
   * with a `mapping`. A repeat of the same bytes changes nothing. For large files, pass a longer
   * `timeoutMs`.
   *
   * @throws RequestRejected with `statement_unreadable`: nothing was stored
   * @example
   * const { file_id } = await client.statements.upload({ file: await readFile('statement.xml') });
   */
  upload(params: UploadStatementParams, options?: CallOptions): Call<ImportStatementResponse> {
    return new Call(() => {
      checkNames('params', params, 'file account direction mapping dry_run');
      const { file, mapping, ...others } = params;
      const query = { ...others, mapping: mapping && JSON.stringify(mapping) };
      return this.#transport.send(
        { operation: importStatement, query, file: checkFile(file), has: 'file_id' },
        options,
      );
    });
  }

  /** The files that you uploaded, newest first. */
  list(params?: ListStatementsQuery, options?: CallOptions): List<ListStatementsResponse> {
    return listOf(this.#transport, listStatements, { query: params }, options);
  }

  /**
   * One file. Its `state` is `matched` when its entries have been compared.
   *
   * @throws RequestRejected with `statement_not_found`
   * @example
   * const { state } = await client.statements.retrieve(file_id);
   */
  retrieve(fileId: string, params?: NoParams, options?: CallOptions): Call<StatementFile> {
    return start(this.#transport, getStatement, { ids: [fileId], query: params, has: 'file_id' }, options);
  }

  /**
   * The entries of a file, with the contributions that they pay or return.
   *
   * @example
   * for await (const entry of client.statements.listEntries(file_id, { outcome: 'unknown' }))
   *   console.log(entry.amount, entry.reason);
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
   * Records a decision on an entry. A repeat of the newest decision changes nothing.
   *
   * @example
   * await client.statements.decide(entry_id, { action: 'ignore', reason: 'A fee of the bank' });
   */
  decide(entryId: string, params: DecideEntryBody, options?: CallOptions): Call<DecideEntryResponse> {
    return start(this.#transport, decideEntry, { ids: [entryId], body: params, has: 'decision' }, options);
  }

  /** The decisions on an entry, newest first, in one page. */
  listDecisions(entryId: string, params?: NoParams, options?: CallOptions): List<ListDecisionsResponse> {
    return shortListOf(this.#transport, listDecisions, { ids: [entryId], query: params }, options);
  }

  /**
   * Voids a file. Its entries no longer count, unless another file has them too.
   *
   * @example
   * await client.statements.void(file_id, { reason: 'Uploaded for the wrong account' });
   */
  void(fileId: string, params: VoidStatementBody, options?: CallOptions): Call<StatementFile> {
    return start(this.#transport, voidStatement, { ids: [fileId], body: params, has: 'file_id' }, options);
  }
}
