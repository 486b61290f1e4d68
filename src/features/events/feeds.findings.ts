import {
  type FeedState,
  mergeBlockers,
  type QueueBlockers,
  readFeedState,
  readQueueBlockers,
} from './feed-state';
import { type Finding, finding, type Findings } from '../../operator/cli/doctor/finding';

const longestFeedLagSeconds = 30;

/** Checks whether the relay keeps up, and what keeps its queue from shrinking. */
export function judgeFeed(
  { lagSeconds }: Pick<FeedState, 'lagSeconds'>,
  { oldTransactions, lockHolders, hidden }: QueueBlockers,
): Finding {
  const check = 'event feeds';
  if (lockHolders.length > 0) {
    return finding(
      check,
      'warning',
      `a run of the relay, or a session with its lock, has blocked the event queue for a minute: ${lockHolders.join(', ')}`,
    );
  }
  if (lagSeconds > longestFeedLagSeconds) {
    const late = `the feeds are ${Math.round(lagSeconds)} s behind`;
    const advice = [
      oldTransactions.length === 0
        ? late
        : `${late}, and these open transactions may block them: ${oldTransactions.join(', ')}. End each with SELECT pg_terminate_backend(pid), unless it is a backup`,
      'If no process has DELIVERY=on, set it in one, or run npm run deliver',
      'Read the log of that process',
      ...(hidden.length === 0
        ? []
        : ['Transactions of other roles are not visible: GRANT pg_monitor to this login to check them']),
    ];
    return finding(check, 'warning', advice.join('. '));
  }
  return oldTransactions.length > 0
    ? finding(
        check,
        'warning',
        `a transaction has been open for ten minutes and slows the relay down: ${oldTransactions.join(', ')}`,
      )
    : finding(check, 'ok', 'no event is late');
}

/** Whether the relay could write every event to the feeds. */
export const judgeFailedEvents = ({ failedEvents }: Pick<FeedState, 'failedEvents'>): Finding => ({
  check: 'failed events',
  ...(failedEvents === 0
    ? { status: 'ok', detail: 'no event has failed to reach the feeds' }
    : {
        status: 'problem',
        detail: `${failedEvents === 1 ? '1 event has' : `${failedEvents} events have`} failed to reach the feeds: run events failed`,
      }),
});

/** Whether events reach the feeds. */
export const feedFindings: Findings = {
  checks: ['event feeds', 'failed events'],
  async examine({ read, readWithEachLogin }) {
    const feeds = await read(readFeedState);
    // Transactions that are too young to slow the relay down may still lock a feed that is late.
    const oldSeconds = feeds.lagSeconds > longestFeedLagSeconds ? longestFeedLagSeconds : 600;
    const blockers = await readWithEachLogin((queries) => readQueueBlockers(queries, oldSeconds, 60));
    return [judgeFeed(feeds, mergeBlockers(blockers)), judgeFailedEvents(feeds)];
  },
};
