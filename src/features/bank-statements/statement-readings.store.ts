import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { readNumber } from '../../metrics/readings';

const oldestUnread = query(
  'read_oldest_unread_upload',
  `
  SELECT COALESCE(EXTRACT(EPOCH FROM statement_timestamp() - min(u.received_at)), 0)::float8 AS value
    FROM statement_uploads u WHERE u.state IN ('received', 'reading')
  `,
);

const failedDays = query(
  'count_failed_days',
  'SELECT count(*)::float8 AS value FROM account_days d WHERE d.has_work AND d.failures > 0',
);

/** What metrics say about the work on statements. */
export function statementReadings(database: Pick<Database, 'run'>) {
  const read = (text: typeof oldestUnread) => async (): Promise<number> =>
    (await database.run<{ value: number }>(text, []))[0]?.value ?? 0;
  return [
    readNumber(
      'contribution_statement_oldest_unread_age_seconds',
      'Age of the oldest uploaded statement that is not yet read; 0 if there is none.',
      read(oldestUnread),
    ),
    readNumber(
      'contribution_statement_failed_days',
      'Days of accounts whose lines could not be compared. The service tries again, with growing pauses.',
      read(failedDays),
    ),
  ];
}
