import {
  change,
  type Concerned,
  type Corruption,
  type CorruptedWorld,
  findsReturned,
  returnedRow,
} from './corruption';

const rules = 'allocation-within-rules';
const money = 'contribution-money-agrees';
const numbered = 'decisions-and-lists-numbered';
const lines = 'statement-lines-judged';
const days = 'account-days-agree';
const months = 'closed-months-agree';

/**
 * The environment has a closed month with a payment of its returned contribution, and an entry
 * that a decision ignores.
 */
const ofEnvironment = ({ environmentId }: CorruptedWorld): string => `environment_id = ${environmentId}`;
const findsEnvironment = ({ environmentId }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId },
];
const state =
  (of: string) =>
  (ids: CorruptedWorld): string =>
    `${ofEnvironment(ids)} AND ${of}`;
const lastDay = state(`day = '2026-10-31'`);

export const statementPlants: readonly Corruption[] = [
  {
    check: lines,
    problem: 'a line has no outcome',
    sql: (ids) => `DELETE FROM line_outcomes WHERE ${state(`outcome = 'ignored'`)(ids)}`,
    finds: findsEnvironment,
    also: [days],
  },
  {
    check: lines,
    problem: 'an outcome has no line',
    sql: (ids) => `DELETE FROM statement_lines WHERE ${state('amount_cents = 700')(ids)}`,
    finds: findsEnvironment,
  },
  {
    check: lines,
    problem: 'a replaced line names neither a version nor a statement',
    sql: change('line_outcomes', `replaced_by = 'nothing'`, state(`state = 'replaced'`)),
    finds: findsEnvironment,
  },
  {
    check: days,
    problem: 'the terms of its lines do not add up to its change',
    sql: change('line_outcomes', 'term_cents = term_cents + 1', state(`outcome = 'ignored'`)),
    finds: findsEnvironment,
  },
  {
    check: days,
    problem: 'its balances do not differ by its change',
    sql: change('account_days', 'closing_cents = closing_cents + 1', lastDay),
    finds: findsEnvironment,
    also: [months],
  },
  {
    check: rules,
    problem: 'its contribution does not exist',
    sql: (ids) =>
      ['line_allocations', 'contribution_money']
        .map((table) => change(table, `transaction_id = 'never'`, returnedRow)(ids))
        .join('; '),
    finds: ({ environmentId }) => [{ environment_id: environmentId, transaction_id: 'never' }],
  },
  {
    check: rules,
    problem: 'its expected amount is not the amount of the contribution',
    sql: change('line_allocations', 'expected_cents = expected_cents + 1', returnedRow),
    finds: findsReturned,
    also: [money],
  },
  {
    check: rules,
    problem: 'the confirmed allocations of its line exceed the line',
    sql: change('line_allocations', 'amount_cents = amount_cents + 1', returnedRow),
    finds: findsReturned,
    also: [money],
  },
  {
    check: rules,
    problem: 'it is confirmed although its line does not count',
    sql: change('line_outcomes', `state = 'proposed'`, state(`outcome = 'matched'`)),
    finds: findsReturned,
  },
  {
    check: money,
    problem: 'its sums do not match its allocations',
    sql: change('contribution_money', 'charges_cents = charges_cents + 1', returnedRow),
    finds: findsReturned,
  },
  {
    check: money,
    problem: 'it has allocations but no sums',
    sql: (ids) => `DELETE FROM contribution_money WHERE ${returnedRow(ids)}`,
    finds: findsReturned,
  },
  {
    check: months,
    problem: 'its numbers were not stored',
    sql: (ids) => `DELETE FROM month_changes WHERE ${ofEnvironment(ids)}`,
    finds: findsEnvironment,
  },
  {
    check: months,
    problem: 'its stored numbers do not match its days',
    sql: (ids) =>
      `UPDATE month_changes c SET numbers = (
         SELECT jsonb_object_agg(t.key, t.value || '{"matched": "0"}') FROM jsonb_each(c.numbers) AS t)
        WHERE ${ofEnvironment(ids)}`,
    finds: findsEnvironment,
  },
  {
    check: numbered,
    problem: 'a decision is missing',
    sql: change('line_decisions', 'number = number + 1', ofEnvironment),
    finds: findsEnvironment,
  },
  {
    check: numbered,
    problem: 'a settlement list is missing',
    sql: (ids) =>
      `INSERT INTO settlement_lists (environment_id, reference, revision, sha256, listed_by_api_key)
       VALUES (${ids.environmentId}, 'TRANSFER', 2, '\\x00', 'key');
       INSERT INTO settlement_lines (environment_id, reference, transaction_id, amount_cents, revision)
       VALUES (${ids.environmentId}, 'TRANSFER', '${ids.returned}', 1, 2)`,
    finds: findsEnvironment,
  },
  {
    check: numbered,
    problem: 'a settlement list has no lines',
    sql: (ids) =>
      `INSERT INTO settlement_lists (environment_id, reference, revision, sha256, listed_by_api_key)
       VALUES (${ids.environmentId}, 'TRANSFER', 1, '\\x00', 'key')`,
    finds: findsEnvironment,
  },
];
