import { v7 as uuidv7 } from 'uuid';

import { loggable } from '../../../http/errors/loggable-error';
import type { Logger } from '../../../shared/logger';
import { type Polling, startPolling } from '../../../shared/polling';
import { type ReadingWork, readUpload } from './read-upload';
import type { DueUpload } from './statement-upload';
import { trimUploads } from './trim-uploads';

/** `stop` ends the threads. Another process, or the next start, reads their uploads again. */
export type UploadReading = Pick<Polling, 'wake' | 'stop'>;

/** One lane for each slot. */
const lanes = 2;
/**
 * The poll interval. An upload wakes only its own process. Polling finds uploads that a stopped
 * process has left, and those that wait for their next attempt.
 */
const usualPollMs = 5_000;
const trimMs = 60_000;
const mostTurns = 1_000;

/** Companies take turns. A process remembers the last turns of its companies. */
function createTurns() {
  const last = new Set<string>();
  const busy = new Set<string>();
  return {
    busy: () => [...busy],
    /** Oldest first. */
    order: () => [...last],
    /** @returns false if another lane is reading a file of the company */
    begin(companyId: string): boolean {
      if (busy.has(companyId)) return false;
      busy.add(companyId);
      last.delete(companyId);
      last.add(companyId);
      const [oldest] = last;
      if (last.size > mostTurns && oldest !== undefined) last.delete(oldest);
      return true;
    },
    end(companyId: string): void {
      busy.delete(companyId);
    },
  };
}

/**
 * Reads the uploads of all companies in the background, two at a time. If a process stops, another
 * one reads its uploads again.
 */
export function startUploadReading(work: ReadingWork, logger: Logger, pollMs = usualPollMs): UploadReading {
  const { store, peppers, reading } = work;
  const turns = createTurns();
  const stopping = new AbortController();
  const { signal } = stopping;
  const versions = [...peppers.keys()];
  let trimmedAt = -Infinity;

  async function readNext(due: DueUpload): Promise<void> {
    const claim = await store.claim(due, uuidv7());
    if (claim) await readUpload(work, claim, logger, signal);
  }

  async function readAll(): Promise<void> {
    while (!signal.aborted) {
      const due = await store.nextDue(versions, turns.busy(), turns.order());
      if (!due) return;
      if (!turns.begin(due.companyId)) continue;
      try {
        await reading.inSlot(due.companyId, () => readNext(due), { signal });
      } finally {
        turns.end(due.companyId);
      }
    }
  }

  async function trim(): Promise<void> {
    if (performance.now() < trimmedAt + trimMs) return;
    trimmedAt = performance.now();
    await trimUploads(store);
  }

  const run = async (): Promise<number> => {
    await trim()
      .then(readAll)
      .catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ error: loggable(error) }, 'uploaded statements not read');
      });
    return pollMs;
  };
  // Each lane polls by itself, so that a long file does not delay the uploads of others.
  const polls = Array.from({ length: lanes }, () => startPolling(run, pollMs));
  return {
    wake() {
      for (const poll of polls) poll.wake();
    },
    async stop() {
      stopping.abort();
      await Promise.all(polls.map((poll) => poll.stop()));
    },
  };
}
