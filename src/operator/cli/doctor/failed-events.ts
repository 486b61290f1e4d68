import type { FeedState } from './feed-state';
import type { Finding } from './findings';

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
