import { Call, start } from '../call.js';
import { assertInput } from '../errors.js';
import {
  decideEntry,
  getStatement,
  importSettlements,
  importStatement,
  listDecisions,
  listStatementAccounts,
  listStatementEntries,
  listStatements,
  setStatementAccount,
  voidStatement,
  type Decision,
  type DecideEntryBody,
  type DecideEntryResponse,
  type ImportSettlementsBody,
  type ImportSettlementsResponse,
  type ImportStatementQuery,
  type ImportStatementResponse,
  type ListStatementAccountsQuery,
  type ListStatementAccountsResponse,
  type ListStatementEntriesQuery,
  type ListStatementEntriesResponse,
  type ListStatementsQuery,
  type ListStatementsResponse,
  type SetStatementAccountBody,
  type StatementAccount,
  type StatementFile,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { FileContent } from '../request.js';
import type { Transport } from '../transport.js';

/** How to read the columns of a CSV file. The guide on statements describes the members. */
export type CsvMapping = Readonly<Record<string, string | readonly string[]>>;

export interface UploadOptions extends CallOptions, Omit<ImportStatementQuery, 'dry_run' | 'mapping'> {
  /** For a CSV file. */
  mapping?: CsvMapping | undefined;
  /** Check the file and store nothing. */
  dryRun?: boolean | undefined;
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
  list(query?: ListStatementAccountsQuery, options?: CallOptions): List<ListStatementAccountsResponse> {
    return listOf(this.#transport, listStatementAccounts, { query }, options);
  }

  /** Sets whether the statements of an account show all money of your contributions. */
  set(accountId: string, settings: SetStatementAccountBody, options?: CallOptions): Call<StatementAccount> {
    return start(
      this.#transport,
      setStatementAccount,
      { ids: [accountId], body: settings, has: 'account_id' },
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
   * const { file_id } = await client.statements.upload(await readFile('statement.xml'));
   */
  upload(file: FileContent, options: UploadOptions = {}): Call<ImportStatementResponse> {
    return new Call(() => {
      const callOptions = callOptionsOf(options, 'account direction mapping dryRun');
      const { account, direction, mapping, dryRun } = options;
      const query = { account, direction, mapping: mapping && JSON.stringify(mapping), dry_run: dryRun };
      return this.#transport.send(
        { operation: importStatement, query, file: checkFile(file), has: 'file_id' },
        callOptions,
      );
    });
  }

  /** The files that you uploaded, newest first. */
  list(query?: ListStatementsQuery, options?: CallOptions): List<ListStatementsResponse> {
    return listOf(this.#transport, listStatements, { query }, options);
  }

  /** One file. Its `state` is `matched` when its entries have been compared. */
  get(fileId: string, options?: CallOptions): Call<StatementFile> {
    return start(this.#transport, getStatement, { ids: [fileId], has: 'file_id' }, options);
  }

  /**
   * The entries of a file, with the contributions that they pay or return.
   *
   * @example
   * for await (const entry of client.statements.entries(file_id, { outcome: 'unknown' }))
   *   console.log(entry.amount, entry.reason);
   */
  entries(
    fileId: string,
    query?: ListStatementEntriesQuery,
    options?: CallOptions,
  ): List<ListStatementEntriesResponse> {
    return listOf(this.#transport, listStatementEntries, { ids: [fileId], query }, options);
  }

  /**
   * States which contributions a transfer pays. The lines with the same reference are one list. A
   * later list with this reference replaces it.
   *
   * @example
   * await client.statements.settle([
   *   { reference: 'FT-1', transaction_id: id, amount: '25.00' },
   * ]);
   */
  settle(lines: readonly ImportSettlementsBody[], options?: CallOptions): Call<ImportSettlementsResponse> {
    return start(this.#transport, importSettlements, { lines, has: 'settlements' }, options);
  }

  /** Records a decision on an entry. A repeat of the newest decision changes nothing. */
  decide(entryId: string, decision: DecideEntryBody, options?: CallOptions): Call<DecideEntryResponse> {
    return start(this.#transport, decideEntry, { ids: [entryId], body: decision, has: 'decision' }, options);
  }

  /** The decisions on an entry, newest first. */
  decisions(entryId: string, options?: CallOptions): Call<{ data: Decision[] }> {
    return start(this.#transport, listDecisions, { ids: [entryId], has: 'data' }, options);
  }

  /** Voids a file. Its entries no longer count, unless another file has them too. */
  void(fileId: string, reason: string, options?: CallOptions): Call<StatementFile> {
    return start(
      this.#transport,
      voidStatement,
      { ids: [fileId], body: { reason }, has: 'file_id' },
      options,
    );
  }
}
