import { setTimeout as delay } from 'node:timers/promises';

import type { Completion, Journal } from '../journal/journal';
import type { Random } from '../random';
import { completeContribution } from './bank';
import type { TenantEnvironment, Tenants } from './environments';
import type { Call, HttpClient } from './http';
import { createContribution } from './partner';

const partners = 16;
const banks = 12;
/** The number of contributions that wait for a bank; older ones stay pending. */
const mostWaiting = 5_000;

/** Running partners and banks. */
export interface Load {
  resume(): void;
  /** Finishes all started work, including retries; resolves when nothing is in progress. */
  pause(): Promise<void>;
  /** Stops all retries. */
  stop(): Promise<void>;
}

export function startLoad(given: {
  http: HttpClient;
  journal: Journal;
  tenants: Tenants;
  random: Random;
}): Load {
  const { journal, random } = given;
  const parts = {
    ...given,
    http: {
      ...given.http,
      // Clients that still retry at the end stop here.
      send: (call: Call) => (isStopped ? Promise.reject(new Error('stopped')) : given.http.send(call)),
    },
  };
  const waiting: { environment: TenantEnvironment; completion: Completion }[] = [];
  const seen = new Set<string>();
  let isPaused = true;
  let isStopped = false;
  let working = 0;

  const onCreated = (environment: TenantEnvironment, completion: Completion): void => {
    // One in ten stays pending.
    if (seen.has(completion.transactionId) || random.chance(0.1)) return;
    seen.add(completion.transactionId);
    waiting.push({ environment, completion });
    if (waiting.length > mostWaiting) waiting.shift();
  };

  async function completeNext(): Promise<void> {
    // Takes from either end of the queue, so that completions follow soon or late.
    const next = random.chance(0.7) ? waiting.pop() : waiting.shift();
    if (next) await completeContribution(parts, next.environment, next.completion);
    else await delay(10);
  }

  async function work(once: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      if (isPaused) {
        await delay(20);
        continue;
      }
      working += 1;
      try {
        await once();
      } catch (error) {
        journal.violate('illegal', `a client failed: ${error instanceof Error ? (error.stack ?? '') : ''}`);
      } finally {
        working -= 1;
      }
    }
  }

  const workers = [
    ...Array.from({ length: partners }, () => work(() => createContribution({ ...parts, onCreated }))),
    ...Array.from({ length: banks }, () => work(completeNext)),
  ];

  async function pause(): Promise<void> {
    isPaused = true;
    for (const deadline = Date.now() + 60_000; working > 0;) {
      if (Date.now() > deadline) {
        journal.violate(
          'unexplained',
          `${working} clients get no final response within 60 s without a fault`,
        );
        return;
      }
      await delay(20);
    }
  }

  return {
    resume() {
      isPaused = false;
    },
    pause,
    async stop() {
      isStopped = true;
      await Promise.all(workers);
    },
  };
}
