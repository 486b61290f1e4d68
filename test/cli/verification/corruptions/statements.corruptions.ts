import {
  change,
  type Concerned,
  type Corruption,
  type CorruptedWorld,
  findsReturned,
  returnedRow,
} from './corruption';

const rules = 'allocation-within-rules';
const money = 'statement-money-agrees';
const numbered = 'decisions-and-lists-numbered';

/** The environment's only file pays its returned contribution. */
const ofEnvironment = ({ environmentId }: CorruptedWorld): string => `environment_id = ${environmentId}`;
const findsFile = ({ environmentId }: CorruptedWorld): Concerned[] => [{ environment_id: environmentId }];

export const statementPlants: readonly Corruption[] = [
  {
    check: 'statement-lines-stored',
    problem: 'its number of lines is wrong',
    sql: (ids) => `DELETE FROM entry_sources WHERE ${ofEnvironment(ids)}`,
    finds: findsFile,
  },
  {
    check: 'statement-lines-stored',
    problem: 'it is matched, but not all entries were compared',
    sql: change('statement_files', 'matched_count = 0', ofEnvironment),
    finds: findsFile,
  },
  {
    check: 'statement-lines-stored',
    problem: 'its rules are newer than those of its environment',
    sql: change('statement_files', 'rules = rules + 1', ofEnvironment),
    finds: findsFile,
  },
  {
    check: rules,
    problem: 'its contribution does not exist',
    sql: (ids) =>
      ['allocations', 'statement_money']
        .map((table) => change(table, `transaction_id = 'never'`, returnedRow)(ids))
        .join('; '),
    finds: ({ environmentId }) => [{ environment_id: environmentId, transaction_id: 'never' }],
  },
  {
    check: rules,
    problem: 'its expected amount is not the amount of the contribution',
    sql: change('allocations', 'expected_cents = expected_cents + 1', returnedRow),
    finds: findsReturned,
  },
  {
    check: rules,
    problem: 'the allocations of its entry exceed the amount of the entry',
    sql: change('allocations', 'amount_cents = amount_cents + 1', returnedRow),
    finds: findsReturned,
    also: [money],
  },
  {
    check: rules,
    problem: 'it is confirmed although its entry is not',
    sql: change('statement_entries', `standing = 'proposed'`, ofEnvironment),
    finds: findsReturned,
  },
  {
    check: money,
    problem: 'its sums do not match its allocations',
    sql: change('statement_money', 'gross_cents = gross_cents + 1', returnedRow),
    finds: findsReturned,
  },
  {
    check: money,
    problem: 'it has allocations but no sums',
    sql: (ids) => `DELETE FROM statement_money WHERE ${returnedRow(ids)}`,
    finds: findsReturned,
  },
  {
    check: numbered,
    problem: 'a decision is missing',
    sql: change('matching_progress', 'seen_decisions = seen_decisions + 1', ofEnvironment),
    finds: findsFile,
  },
  {
    check: numbered,
    problem: 'a settlement list is missing',
    sql: change('matching_progress', 'seen_lists = seen_lists + 1', ofEnvironment),
    finds: findsFile,
  },
  {
    check: numbered,
    problem: 'a settlement list has no lines',
    sql: (ids) =>
      `INSERT INTO settlement_lists (environment_id, reference, revision, sha256, listed_by_api_key)
       VALUES (${ids.environmentId}, 'TRANSFER', 1, '\\x00', 'key'); ${change(
         'matching_progress',
         'seen_lists = 1',
         ofEnvironment,
       )(ids)}`,
    finds: findsFile,
  },
];
