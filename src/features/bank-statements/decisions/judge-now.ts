import type { AccountDay, ClaimedDay } from '../days/account-day';
import type { AccountDaysStore } from '../days/account-days.store';

export interface JudgeNowDependencies {
  days: Pick<AccountDaysStore, 'claim'>;
  /** Does a turn of the work of a day: see `compareDay`. */
  compare: (claimed: ClaimedDay, isStopped: () => boolean) => Promise<void>;
  /** Called with an error of `compare`. The background task tries the day again. */
  onFailure: (error: unknown) => void;
  now?: () => number;
}

/** The time that a person waits at most for the result of a decision. */
const mostMs = 2_000;

/**
 * Compares days at once, so that a person sees the result of a decision. A day that another process
 * works on, or that takes too long, is left to the background task.
 */
export type JudgeNow = (days: readonly AccountDay[]) => Promise<void>;

export function createJudgeNow({
  days: store,
  compare,
  onFailure,
  now = Date.now,
}: JudgeNowDependencies): JudgeNow {
  return async (days) => {
    const end = now() + mostMs;
    const isLate = (): boolean => now() >= end;
    for (const day of days) {
      try {
        let claimed = await store.claim(day);
        while (claimed) {
          await compare(claimed, isLate);
          claimed = isLate() ? undefined : await store.claim(day);
        }
      } catch (error) {
        onFailure(error);
      }
      if (isLate()) return;
    }
  };
}
