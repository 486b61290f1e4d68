import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import { environmentsOfKeyPair } from './key-activity.store';
import { readLatest } from './latest-rows';
import { type ListedTransaction, ownersOfTransaction, transactionColumns } from './transaction-lookup.store';

/** What a partner or a bank says about a contribution. All of it must hold. */
export interface TransactionSearch {
  /** The transaction_ids that it may have. */
  ids?: readonly string[] | undefined;
  idempotencyKey?: string | undefined;
  bankReference?: string | undefined;
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  userHash?: string | undefined;
  /** The pair that created or completed it. */
  apiKey?: string | undefined;
  projectId?: number | undefined;
  /** The day of its creation, in UTC. */
  day?: string | undefined;
  amountCents?: bigint | undefined;
  limit: number;
  /** Skips this many rows. */
  skip: number;
}

type Condition = readonly [value: unknown, condition: (place: string) => string];

const hasUserHash = (place: string): string =>
  `EXISTS (SELECT FROM users u
            WHERE u.environment_id = t.environment_id AND u.user_id = t.user_id AND u.user_hash = ${place}::text)`;

/** The conditions of a search within some environments. Indexes of an environment serve most. */
const conditionsOf = (search: TransactionSearch): Condition[] => [
  [search.ids, (place) => `t.transaction_id = ANY (${place}::text[])`],
  [search.idempotencyKey, (place) => `t.idempotency_key = ${place}::text`],
  [search.bankReference, (place) => `t.bank_reference = ${place}::text`],
  [search.userHash, hasUserHash],
  [search.apiKey, (place) => `${place}::text IN (t.created_by_api_key, t.completed_by_api_key)`],
  [search.projectId, (place) => `t.project_id = ${place}::integer`],
  [search.day, (place) => `t.created_at >= ${place}::date AT TIME ZONE 'UTC'`],
  [search.day, (place) => `t.created_at < (${place}::date + 1) AT TIME ZONE 'UTC'`],
  [search.amountCents, (place) => `t.amount_cents = ${place}::bigint`],
];

const environmentsOfSearch = `
  SELECT e.environment_id AS id FROM environments e JOIN companies c ON c.company_id = e.company_id
   WHERE ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
     AND ($3::text[] IS NULL OR e.transaction_tag = ANY ($3))
     AND ($4::text IS NULL OR e.environment_id IN (${environmentsOfKeyPair('$4')}))`;

export function createTransactionSearchStore(database: Queries) {
  return {
    /** The tags with which the transaction_ids of the environments begin. */
    async tags(): Promise<string[]> {
      const text = 'SELECT e.transaction_tag AS tag FROM environments e';
      return (await database.runUnprepared<{ tag: string }>(text, [])).map(({ tag }) => tag);
    },

    /** Latest first, also those of environments that a reset retired. */
    async search(search: TransactionSearch): Promise<ListedTransaction[]> {
      const { ids, idempotencyKey, bankReference, userHash, day, limit, skip } = search;
      const tags = ids?.map((id) => id.slice(0, 4)) ?? null;
      const environments = await database.runUnprepared<{ id: number }>(environmentsOfSearch, [
        ...[search.company ?? null, search.kind ?? null, tags, search.apiKey ?? null],
      ]);
      const values: unknown[] = [environments.map(({ id }) => id), null, limit, skip];
      const conditions = conditionsOf(search).flatMap(([value, condition]) =>
        value === undefined ? [] : [condition(`$${values.push(value)}`)],
      );
      const text = `
        SELECT ${transactionColumns} FROM transactions t ${ownersOfTransaction}
         WHERE ${['t.environment_id = ANY ($1::integer[])', ...conditions].join(' AND ')}
           AND ($2::interval IS NULL OR t.created_at >= statement_timestamp() - $2::interval)
         ORDER BY t.created_at DESC, t.transaction_id DESC LIMIT $3::bigint OFFSET $4::bigint`;
      const read = (age: string | null): Promise<ListedTransaction[]> => {
        values[1] = age;
        return database.runUnprepared<ListedTransaction>(text, values);
      };
      // An index leads to these. Others are searched from the latest hour on.
      const isNamed = [ids, idempotencyKey, bankReference, userHash, day].some((one) => one !== undefined);
      return isNamed ? read(null) : readLatest(read, limit);
    },
  };
}

export type TransactionSearchStore = ReturnType<typeof createTransactionSearchStore>;
