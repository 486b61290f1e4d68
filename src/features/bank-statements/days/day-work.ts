import { loggable } from '../../../http/errors/loggable-error';
import type { Logger } from '../../../shared/logger';
import { type Polling, startPolling } from '../../../shared/polling';
import { isOfDatabase, withoutMessage } from '../failures';
import type { ClaimedDay } from './account-day';
import { compareDay, type CompareDependencies } from './compare-day';

/** `stop` waits for the chunks that are being compared. */
export type DayWork = Pick<Polling, 'wake' | 'stop'>;

const lanes = 2;
const outdatedAtOnce = 100;
/**
 * The poll interval. An upload wakes only its own process. Polling finds days that a stopped
 * process has left, those that wait for their next attempt, and those that a change has queued.
 */
const usualPollMs = 5_000;
/** The pauses after attempts that failed, in seconds. The last one repeats. */
const pauses = [60, 600, 3_600, 21_600];

/**
 * Compares the days of all environments, two at a time and each in turns. If a process stops,
 * another one continues. A day that fails waits longer each time, and nobody else waits for it.
 */
export function startDayWork(
  dependencies: CompareDependencies,
  logger: Logger,
  pollMs = usualPollMs,
): DayWork {
  const { days } = dependencies;
  let isStopped = false;

  async function fail(claimed: ClaimedDay, error: unknown): Promise<void> {
    const { accountId, day, failures } = claimed;
    const fields = { account_id: accountId, day, failures: failures + 1, error: withoutMessage(error) };
    logger.warn(fields, 'day of an account not compared');
    // Its claim ends soon, so another attempt follows.
    if (isOfDatabase(error)) return;
    const { name } = withoutMessage(error);
    const pause = pauses[Math.min(failures, pauses.length - 1)] ?? 0;
    await days.fail(claimed, String(name), pause);
  }

  /** @returns false if there is no work */
  async function compareNext(): Promise<boolean> {
    const found = await days.withWork(lanes);
    // Results of earlier rules wait until there is no other work.
    if (found.length === 0) return days.queueOutdated(outdatedAtOnce);
    for (const day of found) {
      if (isStopped) return false;
      const claimed = await days.claim(day);
      if (claimed)
        await compareDay(dependencies, claimed, () => isStopped).catch((error: unknown) =>
          fail(claimed, error),
        );
    }
    return true;
  }

  const run = async (): Promise<number> => {
    try {
      while (!isStopped && (await compareNext()));
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'days of accounts not compared');
    }
    return pollMs;
  };
  const polls = Array.from({ length: lanes }, () => startPolling(run, pollMs));
  return {
    wake() {
      for (const poll of polls) poll.wake();
    },
    async stop() {
      isStopped = true;
      await Promise.all(polls.map((poll) => poll.stop()));
    },
  };
}
