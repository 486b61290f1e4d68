import type { Database } from '../../db/pool/database';
import { allEnvironments, type IsRead, query } from '../../db/query';
import { matchingRules } from './matching/matching-rules';

/** An environment with changes since its entries were compared. */
export interface ChangedEnvironment {
  environmentId: number;
  /** The last event. */
  sequence: number;
  /** How often links in which the environment is the bank started, ended or were voided. */
  links: number;
}

/** The changes that one process handles together. */
export interface Changes {
  environmentId: number;
  sequences: { after: number; to: number };
  lists: { after: number; to: number };
  decisions: { after: number; to: number };
  links: { before: number; now: number };
}

/**
 * Finds the changes after which entries are compared again: completions, returns, lists, links and
 * decisions. A process first stores which changes it has seen. Results that were computed before
 * are then rejected, so the later result remains.
 */
export type LaterChangesStore = ReturnType<typeof createLaterChangesStore>;

/** The number of events that one run processes. */
const eventsAtOnce = 1_000;
/** If a process stops, another one processes the same changes after this time. */
const claimSeconds = 30;

/** Excludes the simulated bank. It has no statements, but links with all companies that use it. */
const linkChanges = `
  SELECT l.bank_environment_id, (count(*) + count(l.unlinked_at) + count(l.voided_at))::integer AS changes
    FROM bank_links l WHERE l.bank_environment_id > 0 GROUP BY l.bank_environment_id`;

// $1 environment_id
const readFeedPosition = query(
  'read_feed_position',
  `SELECT f.last_sequence AS sequence FROM feeds f WHERE f.environment_id = $1`,
);

// $1 environment_id
const countLinkChanges = query(
  'count_link_changes',
  `SELECT l.changes AS links FROM (${linkChanges}) l WHERE l.bank_environment_id = $1`,
);

// $1 environment_id, $2 sequence, $3 links
const startProgress = query(
  'start_matching_progress',
  `
  INSERT INTO matching_progress
    (environment_id, seen_sequence, matched_sequence, seen_links, matched_links)
  VALUES ($1, $2, $2, $3, $3)
  ON CONFLICT ON CONSTRAINT matching_progress_pkey DO NOTHING
  `,
);

// Excludes environments with results of newer rules. Only a newer process compares them.
// $1 the maximum number of rows, $2 version of the rules
const listChangedText = (isRead: IsRead): string => `
  SELECT p.environment_id, COALESCE(f.last_sequence, 0) AS sequence, COALESCE(l.changes, 0) AS links
    FROM matching_progress p
    LEFT JOIN feeds f ON f.environment_id = p.environment_id ${isRead('f')}
    LEFT JOIN (${linkChanges}) l ON l.bank_environment_id = p.environment_id
   WHERE (p.claimed_until IS NULL OR p.claimed_until < statement_timestamp()) AND p.rules <= $2 ${isRead('p')}
     AND (f.last_sequence > p.matched_sequence OR p.seen_lists > p.matched_lists
          OR p.seen_decisions > p.matched_decisions OR COALESCE(l.changes, 0) > p.matched_links)
   ORDER BY p.claimed_until NULLS FIRST LIMIT $1::integer
  `;

const listChanged = query('list_changed_environments', listChangedText(allEnvironments), {
  textOf: listChangedText,
});

// $1 environment_id, $2 sequence, $3 links
const seeChanges = query(
  'see_matching_changes',
  `
  UPDATE matching_progress p
     SET seen_sequence = GREATEST(p.seen_sequence, $2), seen_links = GREATEST(p.seen_links, $3),
         claimed_until = statement_timestamp() + interval '${claimSeconds} seconds'
   WHERE p.environment_id = $1 AND (p.claimed_until IS NULL OR p.claimed_until < statement_timestamp())
  RETURNING p.seen_sequence, p.matched_sequence, p.seen_lists, p.matched_lists, p.seen_links, p.matched_links,
            p.seen_decisions, p.matched_decisions
  `,
);

// $1 environment_id, $2 and $3 range of events, $4 and $5 range of lists, $6 and $7 range of
// decisions. Each range excludes its first number.
const readWaiting = query(
  'read_waiting_entry_classes',
  `
  SELECT DISTINCT encode(r.class_key, 'hex') AS class_key FROM entry_references r
   WHERE r.environment_id = $1 AND r.reference IN (
     SELECT k.data ->> 'bank_reference' FROM feed_events k
      WHERE k.environment_id = $1 AND k.sequence > $2 AND k.sequence <= $3 AND k.type IN ('contribution.completed', 'contribution.returned', 'contribution.corrected')
      UNION ALL
     SELECT l.reference FROM settlement_lists l
      WHERE l.environment_id = $1 AND l.revision > $4 AND l.revision <= $5)
   UNION
  SELECT encode(e.class_key, 'hex') FROM reconciliation_decisions d
    JOIN statement_entries e ON e.environment_id = d.environment_id AND e.entry_id = d.entry_id
   WHERE d.environment_id = $1 AND d.number > $6 AND d.number <= $7
   ORDER BY class_key
  `,
);

// $1 environment_id
const restoreFiles = query(
  'match_statement_files_again',
  `
  UPDATE statement_files f SET state = 'stored', matched_count = 0, claimed_until = NULL
   WHERE f.environment_id = $1 AND f.state <> 'receiving' AND f.voided_at IS NULL
  `,
);

// $1 environment_id
const keepProgress = query(
  'keep_matching_progress',
  `
  UPDATE matching_progress p SET claimed_until = statement_timestamp() + interval '${claimSeconds} seconds'
   WHERE p.environment_id = $1
  `,
);

// The time puts the environment behind others.
// $1 environment_id, $2 last event, $3 last list, $4 links, $5 last decision
const finishChanges = query(
  'finish_matching_changes',
  `
  UPDATE matching_progress p
     SET matched_sequence = GREATEST(p.matched_sequence, $2), matched_lists = GREATEST(p.matched_lists, $3),
         matched_links = GREATEST(p.matched_links, $4), matched_decisions = GREATEST(p.matched_decisions, $5),
         claimed_until = statement_timestamp()
   WHERE p.environment_id = $1
  `,
);

interface ProgressRow {
  seen_sequence: string;
  matched_sequence: string;
  seen_lists: number;
  matched_lists: number;
  seen_links: number;
  matched_links: number;
  seen_decisions: number;
  matched_decisions: number;
}

/** @param rules the version of the rules of this process */
export function createLaterChangesStore(database: Pick<Database, 'run'>, rules = matchingRules) {
  return {
    /** Follows the changes of an environment from now on. */
    async start(environmentId: number) {
      // Read these before the insert. Changes between the reads are then processed again.
      const [feed] = await database.run<{ sequence: string }>(readFeedPosition, [environmentId]);
      const [link] = await database.run<{ links: number }>(countLinkChanges, [environmentId]);
      await database.run(startProgress, [environmentId, feed?.sequence ?? 0, link?.links ?? 0]);
    },
    /** Those that wait the longest come first. */
    async changed(most: number): Promise<ChangedEnvironment[]> {
      const rows = await database.run<{ environment_id: number; sequence: string; links: number }>(
        listChanged,
        [most, rules],
      );
      return rows.map((row) => ({
        environmentId: row.environment_id,
        sequence: Number(row.sequence),
        links: row.links,
      }));
    },
    /**
     * Claims an environment and its changes.
     *
     * @returns undefined if another process has claimed the environment
     */
    async claim({ environmentId, sequence, links }: ChangedEnvironment): Promise<Changes | undefined> {
      const [row] = await database.run<ProgressRow>(seeChanges, [environmentId, sequence, links]);
      const after = Number(row?.matched_sequence);
      return (
        row && {
          environmentId,
          sequences: { after, to: Math.min(Number(row.seen_sequence), after + eventsAtOnce) },
          lists: { after: row.matched_lists, to: row.seen_lists },
          decisions: { after: row.matched_decisions, to: row.seen_decisions },
          links: { before: row.matched_links, now: row.seen_links },
        }
      );
    },
    /**
     * The sorted classes of entries that wait for these completions, returns, lists or decisions.
     */
    async waitingClasses({ environmentId, sequences, lists, decisions }: Changes) {
      const rows = await database.run<{ class_key: string }>(readWaiting, [
        environmentId,
        sequences.after,
        sequences.to,
        lists.after,
        lists.to,
        decisions.after,
        decisions.to,
      ]);
      return rows.map((row) => row.class_key);
    },
    /** Queues all files again, because other contributions are visible. */
    async matchFilesAgain(environmentId: number) {
      await database.run(restoreFiles, [environmentId]);
    },
    /** Extends the claim of this process. */
    async extendClaim({ environmentId }: Changes) {
      await database.run(keepProgress, [environmentId]);
    },
    async finish({ environmentId, sequences, lists, links, decisions }: Changes) {
      const values = [environmentId, sequences.to, lists.to, links.now, decisions.to];
      await database.run(finishChanges, values);
    },
  };
}
