import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import type { Term } from '../../rules/days/reconciliation';
import { terms } from './lines.fields';
import { isToExplain } from './to-explain.query';

/** Where a line is in the lists of people. */
export interface LinePlace {
  accountId: string;
  /** YYYY-MM-DD */
  day: string;
  entryId: string;
}

/** The lines to explain. Undefined members select all. */
export interface LineFilter {
  accountId?: string | undefined;
  /** Inclusive, like `to`. */
  from?: string | undefined;
  to?: string | undefined;
  outcome?: string | undefined;
  state?: 'counted' | 'proposed' | undefined;
}

/** A row of a list that was read up to a maximum of lines. */
export interface FoundLine extends LinePlace {
  /** False for the last line that was read, if the filter excludes it. */
  isWanted: boolean;
  /** Whether there may be more lines that were not read. */
  isLastRead: boolean;
}

const noId = '00000000-0000-0000-0000-000000000000';

// $1 environment_id, $2 account_id or null, $3 first day, $4 last day, $5 to $7 after this account,
// day and entry, or null, $8 outcome or null, $9 state or null, $10 maximum of lines to read,
// $11 maximum of rows
const listToExplain = query(
  'list_lines_to_explain',
  `
  SELECT n.account_id AS "accountId", n.day::text, n.entry_id AS "entryId", n.is_wanted AS "isWanted",
         n.place = $10::integer AS "isLastRead"
    FROM (
      SELECT r.account_id, r.day, r.entry_id, row_number() OVER (ORDER BY r.account_id, r.day, r.entry_id) AS place,
             ($8::text IS NULL OR r.outcome = $8) AND ($9::text IS NULL OR r.state = $9) AS is_wanted
        FROM (
          SELECT a.account_id, l.day, l.entry_id, l.outcome, l.state
            FROM statement_accounts a
           CROSS JOIN LATERAL (
             SELECT o.day, o.entry_id, o.outcome, o.state FROM line_outcomes o
              WHERE o.environment_id = $1 AND o.account_id = a.account_id AND ${isToExplain}
                AND o.day BETWEEN $3::date AND $4::date
                AND (o.day, o.entry_id) > (CASE WHEN a.account_id = $5::uuid THEN $6::date ELSE '-infinity' END,
                                           CASE WHEN a.account_id = $5::uuid THEN $7::uuid ELSE '${noId}' END)
              ORDER BY o.day, o.entry_id LIMIT $10::integer
           ) AS l
           WHERE a.environment_id = $1 AND ($2::uuid IS NULL OR a.account_id = $2::uuid)
             AND ($5::uuid IS NULL OR a.account_id >= $5::uuid)
           ORDER BY a.account_id, l.day, l.entry_id LIMIT $10::integer
        ) AS r
    ) AS n
   WHERE n.is_wanted OR n.place = $10::integer
   ORDER BY n.place LIMIT $11::integer
  `,
);

const ofTerm = (condition: string): string => `
  SELECT o.account_id, o.day, o.entry_id FROM line_outcomes o
   WHERE o.environment_id = $1 AND o.account_id = $2 AND ${condition} AND o.day BETWEEN $3::date AND $4::date
     AND (o.day, o.entry_id) > ($5::date, $6::uuid)
   ORDER BY o.day, o.entry_id LIMIT $7::integer`;

const page = `n.account_id AS "accountId", n.day::text, n.entry_id AS "entryId"`;

// $1 environment_id, $2 account_id, $3 first day, $4 last day, $5 after this day, $6 and entry,
// $7 maximum of rows, $8 term
const listOfTerm = query('list_lines_of_term', `SELECT ${page} FROM (${ofTerm('o.term = $8')}) AS n`);

// The charges, and the returns with a charge. $1 to $7 as before
const listCharges = query(
  'list_lines_with_charges',
  `
  SELECT ${page} FROM ((${ofTerm(`o.term = 'charges'`)}) UNION ALL (${ofTerm('o.fee_cents <> 0')})) AS n
   ORDER BY n.day, n.entry_id LIMIT $7::integer
  `,
);

// Each term has its own order in the index. $1 to $7 as before
const listOfAllTerms = query(
  'list_lines_of_all_terms',
  `
  SELECT ${page} FROM (${terms.map((term) => `(${ofTerm(`o.term = '${term}'`)})`).join(' UNION ALL ')}) AS n
   ORDER BY n.day, n.entry_id LIMIT $7::integer
  `,
);

export interface TermRequest {
  accountId: string;
  /** Undefined for the lines of all terms. */
  term: Term | undefined;
  /** Inclusive. */
  from: string;
  to: string;
  after: Pick<LinePlace, 'day' | 'entryId'> | undefined;
}

/** The lists in which people find lines. Each reads a limited number of them. */
export function createLineListsStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Lines that nobody has explained yet, over all accounts and files.
     *
     * @param most the maximum number of lines that are read to find `limit` of them
     */
    toExplain: (
      environmentId: number,
      { accountId, from, to, outcome, state }: LineFilter,
      after: LinePlace | undefined,
      { limit, most }: { limit: number; most: number },
    ): Promise<FoundLine[]> =>
      database.run(listToExplain, [
        ...[environmentId, accountId ?? null, from ?? '-infinity', to ?? 'infinity'],
        ...[after?.accountId ?? null, after?.day ?? null, after?.entryId ?? null],
        ...[outcome ?? null, state ?? null, most, limit],
      ]),
    /** The lines whose sum is a term of the reconciliation, or all its terms, in their order. */
    ofTerm(
      environmentId: number,
      { accountId, term, from, to, after }: TermRequest,
      limit: number,
    ): Promise<LinePlace[]> {
      const values = [
        ...[environmentId, accountId, from, to],
        ...[after?.day ?? '-infinity', after?.entryId ?? noId, limit],
      ];
      if (term === undefined) return database.run(listOfAllTerms, values);
      return term === 'charges'
        ? database.run(listCharges, values)
        : database.run(listOfTerm, [...values, term]);
    },
  };
}

export type LineListsStore = ReturnType<typeof createLineListsStore>;
