import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import { type Polling, startPolling } from '../../shared/polling';
import type { BatchPartsStore } from './batch-parts.store';
import type { LaterChangesStore } from './later-changes.store';
import type { MatchAgain } from './match-again';
import type { MatchingProgressStore, UnmatchedFile } from './matching-progress.store';
import type { ReconcileClasses } from './reconcile-classes';

/** `stop` waits for the current set. */
export type StatementMatching = Pick<Polling, 'wake' | 'stop'>;

/** The number of lines in one transaction. */
const linesAtOnce = 500;
const filesAtOnce = 2;
const environmentsAtOnce = 2;

/**
 * The poll interval. An upload wakes only its own process. Polling finds files that a stopped
 * process has left, and later completions.
 */
const usualPollMs = 5_000;

export interface MatchingWork {
  files: MatchingProgressStore;
  parts: Pick<BatchPartsStore, 'othersOf'>;
  reconcile: ReconcileClasses;
  changes: Pick<LaterChangesStore, 'changed'>;
  matchAgain: MatchAgain;
}

/**
 * Compares the entries of all files, then the entries that wait for later changes, until none is
 * left.
 */
function createWork(
  { files: store, parts, reconcile, changes, matchAgain }: MatchingWork,
  logger: Logger,
  isStopped: () => boolean,
): () => Promise<void> {
  async function matchFile(file: UnmatchedFile): Promise<void> {
    let place = await store.claim(file);
    if (place === 0) await store.matchCoveredAgain(file);
    // Equal lines belong to one class, so the same class may be in every set.
    const done = new Set<string>();
    while (place !== undefined && !isStopped()) {
      const { keys, parents, last } = await store.nextClasses(file, place, linesAtOnce);
      const others = await parts.othersOf(
        file,
        [...parents, ...keys].filter((key) => !done.has(key)),
      );
      const left = [...new Set([...keys, ...others])].filter((key) => !done.has(key));
      for (let start = 0; start < left.length; start += linesAtOnce) {
        if (start > 0 && isStopped()) return;
        await reconcile(file.environmentId, left.slice(start, start + linesAtOnce));
      }
      for (const key of left) done.add(key);
      const isDone = last < place + linesAtOnce;
      if (!(await store.advance(file, { before: place, now: last, isDone }))) return;
      place = isDone ? undefined : last;
    }
  }

  async function matchFiles(): Promise<void> {
    for (;;) {
      const files = await store.unmatched(filesAtOnce);
      if (files.length === 0 || isStopped()) return;
      await Promise.all(
        files.map((file) =>
          matchFile(file).catch((error: unknown) => {
            // The lines are still stored. The file stays claimed for a while, so other files go
            // first.
            logger.warn({ file_id: file.fileId, error: loggable(error) }, 'statements not matched');
          }),
        ),
      );
    }
  }

  async function matchChanged(): Promise<void> {
    for (;;) {
      const changed = await changes.changed(environmentsAtOnce);
      if (changed.length === 0 || isStopped()) return;
      await Promise.all(
        changed.map((one) =>
          matchAgain(one).catch((error: unknown) => {
            // The environment stays claimed for a while, so others go first.
            const fields = { environment_id: one.environmentId, error: loggable(error) };
            logger.warn(fields, 'statements not matched again');
          }),
        ),
      );
    }
  }

  return async () => {
    await matchFiles();
    await matchChanged();
    // A new link queues the bank's files again.
    await matchFiles();
  };
}

/**
 * Compares stored entries with contributions, in sets. If a process stops between two sets, another
 * one continues. Each set replaces the results of its lines, so a repeat is idempotent.
 */
export function startStatementMatching(
  parts: MatchingWork,
  logger: Logger,
  pollMs = usualPollMs,
): StatementMatching {
  const work = createWork(parts, logger, () => polling.isStopped);
  const polling = startPolling(async () => {
    try {
      await work();
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'statements not matched');
    }
    return pollMs;
  }, pollMs);
  return polling;
}
