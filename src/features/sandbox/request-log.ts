import { loggable } from '../../http/errors/loggable-error';
import { createFairBuffer } from '../../shared/fair-buffer';
import type { Logger } from '../../shared/logger';
import type { LoggedRequest, RequestsStore } from './requests.store';

/** The outcome for a request that should be logged. */
export type LoggingOutcome = 'written' | 'buffer_full' | 'not_written';

export interface RequestLogDependencies {
  store: Pick<RequestsStore, 'insert' | 'trim' | 'environmentsWithOldEntries'>;
  logger: Logger;
  onOutcome: (outcome: LoggingOutcome, count: number) => void;
  intervalMs: number;
}

/** The maximum number of buffered requests. They take a few megabytes at most. */
const mostBuffered = 2_000;
/** The log shows 1,000 requests of an environment, so more need not be buffered. */
const mostBufferedOfOne = 1_000;
const mostInOneQuery = 500;
/**
 * An environment is trimmed after its first entry of this process, then after this many entries.
 */
const entriesBetweenTrims = 200;
/** How often environments without new requests are trimmed. */
const sweepIntervalMs = 60 * 60 * 1_000;

interface Entry {
  environmentId: number;
  request: LoggedRequest;
}

/** Trims the environments that had many entries since their last trim. */
function createTrims(store: Pick<RequestsStore, 'trim' | 'environmentsWithOldEntries'>) {
  /** The number of entries since the last trim. An absent environment was never trimmed. */
  let entries = new Map<number, number>();
  return {
    async after(batch: readonly Entry[]): Promise<void> {
      const due = new Set<number>();
      for (const { environmentId } of batch) {
        const count = (entries.get(environmentId) ?? entriesBetweenTrims) + 1;
        if (count > entriesBetweenTrims) due.add(environmentId);
        else entries.set(environmentId, count);
      }
      for (const environmentId of due) {
        await store.trim(environmentId);
        entries.set(environmentId, 0);
      }
    },
    async sweep(): Promise<void> {
      entries = new Map();
      for (const environmentId of await store.environmentsWithOldEntries()) await store.trim(environmentId);
    },
  };
}

/**
 * The request log of the sandbox. It uses one database connection at a time. It drops entries when
 * the buffer is full, or when the database does not accept them.
 */
export function createRequestLog(deps: RequestLogDependencies) {
  const { store, logger, onOutcome, intervalMs } = deps;
  const trims = createTrims(store);
  const buffer = createFairBuffer<LoggedRequest>(mostBuffered);
  let isEmpty = true;
  let writing: Promise<void> | undefined;

  async function writeBatch(batch: Entry[]): Promise<void> {
    try {
      await store.insert(batch);
      onOutcome('written', batch.length);
    } catch (error) {
      onOutcome('not_written', batch.length);
      throw error;
    }
    await trims.after(batch);
  }

  async function write(): Promise<void> {
    const entries = buffer.drain().map(([environmentId, request]) => ({ environmentId, request }));
    isEmpty = true;
    for (let start = 0; start < entries.length; start += mostInOneQuery) {
      try {
        await writeBatch(entries.slice(start, start + mostInOneQuery));
      } catch (error) {
        // Logged at debug level, because failing requests already report that the database is down.
        logger.debug({ error: loggable(error) }, 'requests of the sandbox not logged');
      }
    }
  }

  const run = (work: () => Promise<void>): Promise<void> =>
    (writing ??= work().finally(() => (writing = undefined)));

  const timer = setInterval(() => {
    if (!isEmpty) void run(write);
  }, intervalMs).unref();
  const sweeper = setInterval(() => {
    void run(() =>
      trims.sweep().catch((error: unknown) => {
        logger.debug({ error: loggable(error) }, 'old requests of the sandbox not deleted');
      }),
    );
  }, sweepIntervalMs).unref();

  return {
    /** Buffers a request if there is space. Never waits or throws. */
    add(environmentId: number, make: () => LoggedRequest) {
      const isTooMany = buffer.countOf(environmentId) >= mostBufferedOfOne;
      if (isTooMany || buffer.add(environmentId, make()) !== undefined) onOutcome('buffer_full', 1);
      isEmpty = false;
    },
    /** Stops, and writes the buffered requests. */
    async stop() {
      clearInterval(timer);
      clearInterval(sweeper);
      await writing;
      await write();
    },
  };
}
