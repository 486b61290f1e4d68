import type { Database } from '../../../db/pool/database';
import { allEnvironments, type IsRead, membersOf, query } from '../../../db/query';

/** How far the changes of an environment go. */
export interface ChangesOfEnvironment {
  environmentId: number;
  /** The last event of its feed. */
  sequence: string;
  /** The last settlement list. */
  listRevision: number;
  /** How often links in which it is the bank started, ended or were voided. */
  linkChanges: number;
}

/** The changes since the lines of an environment were compared, up to `now`. */
export interface ClaimedChanges {
  environmentId: number;
  before: Omit<ChangesOfEnvironment, 'environmentId'>;
  now: Omit<ChangesOfEnvironment, 'environmentId'>;
}

/** The number of events in one turn. */
const eventsAtOnce = 1_000;
/** If a process stops, another one handles the same changes after this time. */
const claimSeconds = 30;

const isFree = '(p.claimed_until IS NULL OR p.claimed_until < statement_timestamp())';

// Excludes the simulated bank. It has no statements, but links with all companies that use it.
const linkChanges = `
  SELECT l.bank_environment_id, (count(*) + count(l.unlinked_at) + count(l.voided_at))::integer AS changes
    FROM bank_links l WHERE l.bank_environment_id > 0 GROUP BY l.bank_environment_id`;

const lastList = (isRead: IsRead): string =>
  `COALESCE((SELECT max(n.revision) FROM settlement_lists n
              WHERE n.environment_id = p.environment_id ${isRead('n')}), 0)`;

// $1 environment_id
const readNow = query(
  'read_changes_of_environment',
  `
  SELECT p.environment_id AS "environmentId", COALESCE(f.last_sequence, 0) AS sequence,
         ${lastList(allEnvironments)} AS "listRevision"
    FROM (SELECT $1::integer AS environment_id) p
    LEFT JOIN feeds f ON f.environment_id = p.environment_id
  `,
);

// $1 environment_id
const readLinks = query(
  'read_link_changes',
  `SELECT l.changes FROM (${linkChanges}) l WHERE l.bank_environment_id = $1`,
);

// $1 environment_id, $2 sequence, $3 list_revision, $4 link_changes
const startProgress = query(
  'start_comparing_progress',
  `
  INSERT INTO comparing_progress (environment_id, sequence, list_revision, link_changes) VALUES ($1, $2, $3, $4)
  ON CONFLICT ON CONSTRAINT comparing_progress_pkey DO NOTHING
  `,
);

// $1 the maximum number of rows
const listChangedText = (isRead: IsRead): string => `
  SELECT q.* FROM (
    SELECT p.environment_id AS "environmentId", COALESCE(f.last_sequence, 0) AS sequence,
           ${lastList(isRead)} AS "listRevision", COALESCE(l.changes, 0) AS "linkChanges", p.sequence AS compared_sequence,
           p.list_revision AS compared_lists, p.link_changes AS compared_links, p.claimed_until
      FROM comparing_progress p
      LEFT JOIN feeds f ON f.environment_id = p.environment_id ${isRead('f')}
      LEFT JOIN (${linkChanges}) l ON l.bank_environment_id = p.environment_id
     WHERE ${isFree} ${isRead('p')}
    ) q
   WHERE q.sequence > q.compared_sequence OR q."listRevision" > q.compared_lists OR q."linkChanges" > q.compared_links
   ORDER BY q.claimed_until NULLS FIRST LIMIT $1::integer
  `;

const listChanged = query('list_changed_accounts', listChangedText(allEnvironments), {
  textOf: listChangedText,
});

// $1 environment_id
const claimChanges = query(
  'claim_later_changes',
  `
  UPDATE comparing_progress p SET claimed_until = statement_timestamp() + interval '${claimSeconds} seconds'
   WHERE p.environment_id = $1 AND ${isFree}
  RETURNING ${membersOf('p', 'sequence', 'listRevision', 'linkChanges')}
  `,
);

// In the feed of a bank, another bank's correction has no reference. Its completion may have one.
// $1 environment_id, $2 and $3 range of events, $4 and $5 range of lists. Each range excludes its
// first number.
const readReferences = query(
  'read_changed_references',
  `
  SELECT k.data ->> 'bank_reference' AS reference FROM feed_events k
   WHERE k.environment_id = $1 AND k.sequence > $2 AND k.sequence <= $3
     AND k.type IN ('contribution.completed', 'contribution.returned', 'contribution.corrected')
   UNION
  SELECT unnest(ARRAY[k.transaction_id, c.data ->> 'bank_reference']) FROM feed_events k
    LEFT JOIN feed_events c
      ON c.environment_id = $1 AND c.transaction_id = k.transaction_id AND c.type = 'contribution.completed'
   WHERE k.environment_id = $1 AND k.sequence > $2 AND k.sequence <= $3 AND k.type = 'contribution.corrected'
   UNION
  SELECT l.reference FROM settlement_lists l WHERE l.environment_id = $1 AND l.revision > $4 AND l.revision <= $5
   ORDER BY reference
  `,
);

// $1 environment_id
const markAll = query('mark_all_days', 'SELECT mark_all_days($1) AS is_put', { writes: true });

// The time puts the environment behind others.
// $1 environment_id, $2 sequence, $3 list_revision, $4 link_changes
const finishChanges = query(
  'finish_later_changes',
  `
  UPDATE comparing_progress p
     SET sequence = GREATEST(p.sequence, $2), list_revision = GREATEST(p.list_revision, $3),
         link_changes = GREATEST(p.link_changes, $4), claimed_until = statement_timestamp()
   WHERE p.environment_id = $1
  `,
);

export function createLaterChangesStore(database: Pick<Database, 'run'>) {
  async function linkChangesOf(environmentId: number): Promise<number> {
    return (await database.run<{ changes: number }>(readLinks, [environmentId]))[0]?.changes ?? 0;
  }
  return {
    /** Follows the changes of an environment from now on. Call it before its first publication. */
    async start(environmentId: number): Promise<void> {
      const links = await linkChangesOf(environmentId);
      const [now] = await database.run<ChangesOfEnvironment>(readNow, [environmentId]);
      const values = [environmentId, now?.sequence ?? 0, now?.listRevision ?? 0, links];
      await database.run(startProgress, values);
    },
    /** Environments with changes. Those that wait the longest come first. */
    changed: (most: number): Promise<ChangesOfEnvironment[]> => database.run(listChanged, [most]),
    /** @returns undefined if another process has claimed the environment */
    async claim({ environmentId, ...to }: ChangesOfEnvironment): Promise<ClaimedChanges | undefined> {
      const [before] = await database.run<ClaimedChanges['before']>(claimChanges, [environmentId]);
      if (!before) return undefined;
      const most = BigInt(before.sequence) + BigInt(eventsAtOnce);
      const sequence = BigInt(to.sequence) < most ? to.sequence : String(most);
      const { listRevision, linkChanges: links } = to;
      return { environmentId, before, now: { sequence, listRevision, linkChanges: links } };
    },
    /** The references of completions, returns, corrections and lists, and the corrected ids. */
    async references({ environmentId, before, now }: ClaimedChanges): Promise<string[]> {
      const rows = await database.run<{ reference: string | null }>(readReferences, [
        ...[environmentId, before.sequence, now.sequence, before.listRevision, now.listRevision],
      ]);
      return rows.flatMap(({ reference }) => reference ?? []);
    },
    async markAll(environmentId: number): Promise<void> {
      await database.run(markAll, [environmentId]);
    },
    async finish({ environmentId, now }: ClaimedChanges): Promise<void> {
      await database.run(finishChanges, [environmentId, now.sequence, now.listRevision, now.linkChanges]);
    },
  };
}

export type LaterChangesStore = ReturnType<typeof createLaterChangesStore>;
