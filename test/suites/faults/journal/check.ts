import type { QueryResultRow } from 'pg';

import type { TenantEnvironment } from '../clients/environments';
import type { Completion, Intention, Journal } from './journal';

interface TransactionRow {
  transaction_id: string;
  environment_id: number;
  amount_cents: string;
  project_id: number;
  user_hash: string;
  idempotency_key: string | null;
  status: string;
  completed_by_environment_id: number | null;
  bank_reference: string | null;
  completion: number;
  is_corrected: boolean;
}

/** Runs one query on the service's database. */
export type Query = <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

const columns = `t.transaction_id, t.environment_id, t.amount_cents, t.project_id, u.user_hash, t.idempotency_key, t.status,
  t.completed_by_environment_id, t.bank_reference, t.completion, t.corrected_at IS NOT NULL AS is_corrected`;
const tables =
  'transactions t LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id';
const amountsAtOnce = 50_000;

/**
 * Compares the clients' responses with the database. No request may be in progress.
 *
 * @param scope the changes since the last check, or everything
 */
export async function checkJournal(
  journal: Journal,
  query: Query,
  environments: readonly TenantEnvironment[],
  scope: 'touched' | 'all',
): Promise<void> {
  const amounts =
    scope === 'all'
      ? [...journal.intentions.keys()]
      : [
          ...journal.touched.amounts,
          ...[...journal.touched.transactions].flatMap(
            (id) => journal.completions.get(id)?.intention.amountCents ?? [],
          ),
        ];
  const completers = new Map(environments.map((environment) => [environment.environmentId, environment]));
  for (let from = 0; from < amounts.length; from += amountsAtOnce) {
    const part = [...new Set(amounts.slice(from, from + amountsAtOnce))];
    const rows = await query<TransactionRow>(
      `SELECT ${columns} FROM ${tables} WHERE t.amount_cents = ANY ($1::bigint[])`,
      [part],
    );
    const byAmount = new Map<number, TransactionRow[]>();
    for (const row of rows) {
      const amount = Number(row.amount_cents);
      byAmount.set(amount, [...(byAmount.get(amount) ?? []), row]);
    }
    for (const amount of part) {
      const intention = journal.intentions.get(amount);
      if (intention) checkIntention(journal, intention, byAmount.get(amount) ?? [], completers);
    }
  }
  const foreign = await query<{ transaction_id: string }>(
    'SELECT transaction_id FROM transactions WHERE amount_cents NOT BETWEEN 1 AND $1 LIMIT 10',
    [journal.intentions.size],
  );
  for (const row of foreign) journal.violate('illegal', `nobody requested ${row.transaction_id}`);
  journal.touched.amounts.clear();
  journal.touched.transactions.clear();
}

function checkIntention(
  journal: Journal,
  intention: Intention,
  rows: TransactionRow[],
  environments: ReadonlyMap<number, TenantEnvironment>,
): void {
  const ids = new Set(rows.map((row) => row.transaction_id));
  const promised = new Set(intention.acknowledged);
  const name = `the contribution of ${intention.amountCents} cents`;
  for (const id of promised) {
    if (!ids.has(id)) journal.violate('lost', `${name}: ${id} was acknowledged and is missing`);
  }
  // With a key there is one row, however often it was sent. Without a key each response is one row,
  // and each lost response may be one.
  const most = intention.idempotencyKey === undefined ? promised.size + intention.uncertain : 1;
  if (promised.size > 1 && intention.idempotencyKey !== undefined) {
    journal.violate('doubled', `${name}: responses with one key named ${[...promised].join(', ')}`);
  }
  if (rows.length > most) {
    journal.violate('doubled', `${name}: at most ${most} may exist, and there are ${[...ids].join(', ')}`);
  }
  for (const row of rows) {
    const matchesRequest =
      row.environment_id === intention.environmentId &&
      row.project_id === intention.projectId &&
      row.user_hash === intention.userHash &&
      row.idempotency_key === (intention.idempotencyKey ?? null);
    if (!matchesRequest)
      journal.violate('illegal', `${name}: ${row.transaction_id} does not match its request`);
    checkState(
      journal,
      row,
      journal.completions.get(row.transaction_id),
      environments.get(row.environment_id),
    );
  }
}

function checkState(
  journal: Journal,
  row: TransactionRow,
  completion: Completion | undefined,
  environment: TenantEnvironment | undefined,
): void {
  const id = row.transaction_id;
  if (row.status === 'pending') {
    if (completion && completion.acknowledged > 0) {
      journal.violate('lost', `the completion of ${id} was acknowledged, and it is pending`);
    }
    return;
  }
  if (!completion || completion.references.length === 0) {
    journal.violate('illegal', `${id} is completed, but no permitted caller requested it`);
    return;
  }
  if (row.completed_by_environment_id !== environment?.completerEnvironmentId) {
    journal.violate('illegal', `${id} was completed by an environment that may not`);
  }
  if (!completion.references.includes(row.bank_reference)) {
    journal.violate('illegal', `${id} has a bank reference that nobody sent`);
  }
  checkCorrection(journal, row, completion);
}

/** A correction counts once, until the next completion, which no late request takes back. */
function checkCorrection(
  journal: Journal,
  {
    transaction_id: id,
    completion: number,
    is_corrected: isCorrected,
    bank_reference: reference,
  }: TransactionRow,
  { correction, replacement, references }: Completion,
): void {
  if (isCorrected && correction === undefined)
    journal.violate('illegal', `${id} is corrected, and nobody requested it`);
  if (number > (replacement === undefined ? 1 : 2))
    journal.violate('doubled', `${id} was completed ${number} times`);
  if (replacement === 'acknowledged') {
    if (isCorrected || number < 2 || reference !== references.at(-1))
      journal.violate(
        'lost',
        `the completion of ${id} after its correction was acknowledged, and is missing`,
      );
  } else if (correction === 'acknowledged' && replacement === undefined && !isCorrected) {
    journal.violate('lost', `the correction of ${id} was acknowledged, and it counts`);
  }
}
