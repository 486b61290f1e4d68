import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import type { MatchingProgressStore, UnmatchedFile } from './matching-progress.store';
import type { ReconcileClasses } from './reconcile-classes';

export interface StatementMatching {
  /** Looks for work soon. */
  wake(): void;
  /** Stops after the current set. */
  stop(): Promise<void>;
}

/** Lines of one transaction. */
const linesAtOnce = 500;
const filesAtOnce = 2;
/** An upload wakes its own process. The others look for files that a stopped process has left. */
const pollMs = 60_000;

/**
 * Compares stored entries with contributions, in sets. If a process stops between two sets, another
 * one continues the file. A set replaces the results of its lines, so it may run again.
 */
export function startStatementMatching(
  store: MatchingProgressStore,
  reconcile: ReconcileClasses,
  logger: Logger,
): StatementMatching {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function matchFile(file: UnmatchedFile): Promise<void> {
    let place = await store.claim(file);
    while (place !== undefined && !isStopped) {
      const { keys, last } = await store.nextClasses(file, place, linesAtOnce);
      if (keys.length > 0) await reconcile(file.environmentId, keys);
      const isDone = last < place + linesAtOnce;
      await store.advance(file, last, isDone);
      place = isDone ? undefined : last;
    }
  }

  async function work(): Promise<void> {
    for (;;) {
      const files = await store.unmatched(filesAtOnce);
      if (files.length === 0 || isStopped) return;
      await Promise.all(
        files.map((file) =>
          matchFile(file).catch((error: unknown) => {
            // The lines are still stored. It stays claimed for a while, so the others go first.
            logger.warn({ file_id: file.fileId, error: loggable(error) }, 'statements not matched');
          }),
        ),
      );
    }
  }

  const start = (): Promise<void> =>
    (running ??= work().finally(() => {
      running = undefined;
      if (!isStopped) schedule(pollMs);
    }));

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      start().catch((error: unknown) => {
        logger.warn({ error: loggable(error) }, 'statements not matched');
      });
    }, delayMs);
    timer.unref();
  }

  schedule(pollMs);
  return {
    wake() {
      if (!isStopped) schedule(0);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running?.catch(() => undefined);
    },
  };
}
