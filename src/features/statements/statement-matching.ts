import { LRUCache } from 'lru-cache';

import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import { type Polling, startPolling } from '../../shared/polling';
import type { BatchPartsStore } from './batch-parts.store';
import type { ChangedEnvironment, LaterChangesStore } from './later-changes.store';
import type { MatchAgain } from './match-again';
import type { MatchingProgressStore, UnmatchedFile } from './matching-progress.store';
import type { ReconcileClasses } from './reconcile-classes';

/** `stop` waits for the sets of lines that are being compared. */
export type StatementMatching = Pick<Polling, 'wake' | 'stop'>;

/** The number of lines in one transaction. */
const linesAtOnce = 500;
/** The number of sets in one turn. Then another file is matched, usually of another environment. */
const setsInTurn = 4;
const filesAtOnce = 2;
const environmentsAtOnce = 2;
/** The number of classes that are remembered between the turns of all files. */
const mostRememberedClasses = 200_000;

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

/** A file in its turn. */
interface Turn {
  file: UnmatchedFile;
  /** The number of entries that are already matched. */
  place: number;
}

/** The classes of the file that are already compared, up to a place. */
interface ComparedClasses {
  place: number;
  keys: Set<string>;
}

/** Lets the files take turns until every one is compared. */
function createFilesWork(
  { files: store, parts, reconcile }: MatchingWork,
  logger: Logger,
  isStopped: () => boolean,
): () => Promise<void> {
  const compared = new LRUCache<string, ComparedClasses>({
    maxSize: mostRememberedClasses,
    sizeCalculation: ({ keys }) => keys.size + 1,
  });

  async function takeTurn(): Promise<Turn | undefined> {
    for (;;) {
      const files = await store.unmatched(filesAtOnce);
      if (isStopped()) return undefined;
      // Results of earlier rules wait until all other files are matched.
      if (files.length === 0 && !(await store.queueOutdated())) return undefined;
      for (const file of files) {
        const place = await store.claim(file);
        if (place !== undefined) return { file, place };
      }
    }
  }

  /** Compares the classes of the next lines, and the other classes that these lines change. */
  async function matchSet(file: UnmatchedFile, place: number, done: Set<string>) {
    const { keys, parents, last } = await store.nextClasses(file, place, linesAtOnce);
    const others = await parts.othersOf(
      file,
      [...parents, ...keys].filter((key) => !done.has(key)),
    );
    const left = [...new Set([...keys, ...others])].filter((key) => !done.has(key));
    for (let start = 0; start < left.length; start += linesAtOnce) {
      if (start > 0 && isStopped()) return undefined;
      await reconcile(file.environmentId, left.slice(start, start + linesAtOnce));
    }
    for (const key of left) done.add(key);
    return last;
  }

  async function matchFile({ file, place: first }: Turn): Promise<void> {
    if (first === 0) await store.matchCoveredAgain(file);
    const known = compared.get(file.fileId);
    compared.delete(file.fileId);
    // Equal lines belong to one class, so the same class may be in every set.
    const done = known?.place === first ? known.keys : new Set<string>();
    let place = first;
    for (let sets = 1; ; sets += 1) {
      const last = await matchSet(file, place, done);
      if (last === undefined) return;
      const isDone = last < place + linesAtOnce;
      const isEndOfTurn = sets === setsInTurn || isStopped();
      if (!(await store.advance(file, { before: place, now: last, isDone, isEndOfTurn })) || isDone) return;
      place = last;
      if (isEndOfTurn) break;
    }
    compared.set(file.fileId, { place, keys: done });
  }

  return async () => {
    for (let turn = await takeTurn(); turn; turn = await takeTurn()) {
      const { file } = turn;
      await matchFile(turn).catch((error: unknown) => {
        // The lines are still stored. The file stays claimed for a while, so other files go first.
        logger.warn({ file_id: file.fileId, error: loggable(error) }, 'statements not matched');
      });
    }
  };
}

/** Compares the entries that wait for later changes, until none is left. */
function createChangesWork(
  { changes, matchAgain }: MatchingWork,
  logger: Logger,
  isStopped: () => boolean,
  wakeFiles: () => void,
): () => Promise<void> {
  const next = async (): Promise<ChangedEnvironment | undefined> =>
    isStopped() ? undefined : (await changes.changed(1))[0];
  return async () => {
    for (let changed = await next(); changed; changed = await next()) {
      const { environmentId } = changed;
      await matchAgain(changed).catch((error: unknown) => {
        // The environment stays claimed for a while, so others go first.
        const fields = { environment_id: environmentId, error: loggable(error) };
        logger.warn(fields, 'statements not matched again');
      });
      // A new link queues the bank's files again.
      wakeFiles();
    }
  };
}

/**
 * Compares stored entries with contributions, in sets. If a process stops between two sets, another
 * one continues. Each set replaces the results of its lines, so a repeat is idempotent.
 *
 * The files of an environment wait for their turn. Later changes do not wait for files, because the
 * files of another environment can take minutes.
 */
export function startStatementMatching(
  parts: MatchingWork,
  logger: Logger,
  pollMs = usualPollMs,
): StatementMatching {
  /** Runs the same work several times at once. Each run takes the next item. */
  const poll = (lanes: number, work: () => Promise<void>): Polling =>
    startPolling(async () => {
      const run = (): Promise<void> =>
        work().catch((error: unknown) => {
          logger.warn({ error: loggable(error) }, 'statements not matched');
        });
      await Promise.all(Array.from({ length: lanes }, run));
      return pollMs;
    }, pollMs);
  const files = poll(
    filesAtOnce,
    createFilesWork(parts, logger, () => files.isStopped),
  );
  const changes = poll(
    environmentsAtOnce,
    createChangesWork(
      parts,
      logger,
      () => changes.isStopped,
      () => {
        files.wake();
      },
    ),
  );
  return {
    wake() {
      files.wake();
      changes.wake();
    },
    async stop() {
      await Promise.all([files.stop(), changes.stop()]);
    },
  };
}
