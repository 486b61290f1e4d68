import type { CatalogEntry } from '../../http/errors/catalog-entry';

/** The errors of the event feed. */
export const eventErrors = {
  event_not_found: {
    status: 404,
    title: 'Event not found',
    retryable: false,
    meaning: 'Your feed has no event with this id.',
    advice: 'Check the id and the key pair. The feed keeps events for 180 days.',
  },
  events_expired: {
    status: 410,
    title: 'The feed no longer has these events',
    retryable: false,
    meaning:
      'Your `after`, or the `from_sequence` of a replay, is older than the first event that the feed keeps. `detail` states the number of that event.',
    advice:
      'List the contributions of the period that you missed. Then continue from the value of `after` or `from_sequence` that `detail` states.',
  },
  feed_restarted: {
    status: 410,
    title: 'The feed does not reach this position',
    retryable: false,
    meaning: 'Your `after` is higher than the number of the last event in this feed.',
    advice:
      'Send only a `next_after` of the same environment. A reset of the test environment starts a new feed: read it from `after=0`.',
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>;

declare module '../../shared/errors' {
  interface FeatureErrors extends Record<keyof typeof eventErrors, unknown> {}
}
