import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import {
  type ListedTransaction,
  ownersOfTransaction,
  transactionColumns,
  type TransactionFilter,
} from './transaction-lookup.store';

export type ExportFilter = Omit<TransactionFilter, 'limit' | 'skip'>;

export interface ExportPage {
  transactions: ListedTransaction[];
  /** The share of the export that is done, 0 to 1: by environments, and by time within one. */
  done: number;
}

/** Reads all contributions, a page at a time. */
export interface TransactionExportStore {
  /** Ordered by environment, then oldest first. Excludes the environments that a reset retired. */
  pages(filter: ExportFilter): AsyncGenerator<ExportPage>;
}

interface Row extends ListedTransaction {
  microseconds: string;
}

const rowsAtOnce = 1_000;

// Reads one environment, so that a cluster sends the query to one server. $1 environment_id, $2
// status, $3 and $4 times of creation, $5 bank_reference, $6 value_date, $7 and $8 after this time
// and id
const readPage = `
  SELECT ${transactionColumns}, (extract(epoch FROM t.created_at) * 1000000)::bigint::text AS microseconds
    FROM transactions t ${ownersOfTransaction}
   WHERE t.environment_id = $1 AND ($2::text IS NULL OR t.status = $2)
     AND ($3::timestamptz IS NULL OR t.created_at >= $3) AND ($4::timestamptz IS NULL OR t.created_at < $4)
     AND ($5::text IS NULL OR t.bank_reference = $5) AND ($6::date IS NULL OR t.value_date = $6)
     AND ($7::bigint IS NULL
          OR (t.created_at, t.transaction_id) > (timestamptz 'epoch' + $7::bigint * interval '1 microsecond', $8::text))
   ORDER BY t.created_at, t.transaction_id LIMIT ${rowsAtOnce}`;

export function createTransactionExportStore(database: Queries, now = Date.now): TransactionExportStore {
  const environmentsOf = async (company: string | undefined, kind: EnvironmentKind | undefined) =>
    database.runUnprepared<{ environment_id: number }>(
      `SELECT e.environment_id FROM environments e JOIN companies c ON c.company_id = e.company_id
        WHERE e.retired_at IS NULL AND ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
        ORDER BY e.environment_id`,
      [company ?? null, kind ?? null],
    );

  return {
    async *pages({ company, kind, status, createdFrom, createdTo, bankReference, valueDate }) {
      const environments = await environmentsOf(company, kind);
      const filters = [status, createdFrom, createdTo, bankReference, valueDate].map(
        (value) => value ?? null,
      );
      const end = (createdTo ?? new Date(now())).getTime();
      for (const [index, { environment_id: environmentId }] of environments.entries()) {
        let start: number | undefined;
        let last: Row | undefined;
        do {
          const place = [last?.microseconds ?? null, last?.transactionId ?? null];
          const rows = await database.runUnprepared<Row>(readPage, [environmentId, ...filters, ...place]);
          start ??= rows[0]?.createdAt.getTime() ?? end;
          last = rows.length === rowsAtOnce ? rows.at(-1) : undefined;
          const share = last ? (last.createdAt.getTime() - start) / Math.max(1, end - start) : 1;
          yield { transactions: rows, done: (index + share) / environments.length };
        } while (last);
      }
    },
  };
}
