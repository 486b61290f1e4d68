import type { TrafficClass } from '../../../shared/traffic-classes';

export interface ClassLimits {
  /** The share of this class in the requests that start while several classes wait. */
  weight: number;
  /**
   * Slots: requests that may be in progress. Completions, creates, others and lists share slots
   * (see `limitsOfClasses`).
   */
  inProgress: number;
  /** Slots that one environment or client address may occupy. */
  perFlow: number;
  /** Requests that may wait. Beyond this number, the longest flow loses its oldest request. */
  waiting: number;
  /** The longest wait in a queue that will drain. */
  burstWaitMs: number;
  /** The longest wait in a standing queue, which will not drain. */
  standingWaitMs: number;
  /** A queue can be standing only after it has not been empty for this long. */
  standingAfterMs: number;
}

/** Requests of one connection in progress. Further pipelined requests wait. */
export const perConnectionInProgress = 4;

/**
 * The most headers of a request. Real clients send fewer. Each header has a fixed cost in Node, so
 * a size limit is not enough.
 */
export const mostHeaders = 200;

/** Pending requests of one connection. Beyond this number, the connection is closed. */
export const mostHeldPerConnection = 64;

/**
 * Classes that are shed while their client leaves responses unread. Only they can have large
 * responses. An unverified request may be a completion from an address that others share.
 */
export const readClasses: ReadonlySet<TrafficClass> = new Set(['others', 'lists', 'anonymous']);

/** The share of a class's slots that one environment or client address may occupy. */
const flowShare = 0.6;

/** Lists of one environment in progress, so that one company cannot slow down all others. */
const mostListsPerFlow = 3;

/** The share of the database connections that lists may use. Lists are the slowest queries. */
const listShare = 0.6;

const shareOf = (total: number, share: number): number => Math.max(1, Math.ceil(total * share));

/** Slots per database connection: enough to keep all connections busy, with a short queue. */
const slotsPerDatabaseConnection = 2.4;

/**
 * Completions, creates, others and lists share `total` slots. Reads (others and lists) leave a
 * third of them free. Reads and creates together leave a sixth free. Completions and creates
 * therefore never wait for slow reads. Lists leave slots and database connections for other reads.
 * Unverified and anonymous requests have a few separate slots.
 * @param poolSize number of database connections
 * @param queueLength queries that may wait for a connection; admission keeps this queue from
 *   filling
 */
export function limitsOfClasses(
  poolSize: number,
  queueLength: number,
): { classes: Record<TrafficClass, ClassLimits> } {
  const total = Math.max(
    1,
    Math.min(Math.ceil(poolSize * slotsPerDatabaseConnection), poolSize + Math.floor(queueLength / 2)),
  );
  const reserved = Math.floor(total / 6);
  const few = Math.max(1, Math.min(4, reserved));
  const rest = { burstWaitMs: 1_000, standingWaitMs: 1_000, standingAfterMs: 1_000 };
  const money = {
    weight: 8,
    waiting: 4_000,
    burstWaitMs: 5_000,
    standingWaitMs: 500,
    standingAfterMs: 2_500,
  };
  const reads = { waiting: 2_000, burstWaitMs: 1_000, standingWaitMs: 20, standingAfterMs: 500 };
  const slots = (inProgress: number, mostPerFlow = Infinity) => ({
    inProgress,
    perFlow: Math.min(mostPerFlow, shareOf(inProgress, flowShare)),
  });
  const slotsOfOthers = Math.max(1, total - 2 * reserved);
  const slotsOfLists = Math.min(slotsOfOthers, shareOf(poolSize, listShare));
  return {
    classes: {
      completions: { ...money, ...slots(total) },
      creates: { ...money, ...slots(total - reserved) },
      health: { weight: 8, waiting: 512, ...slots(256), ...rest },
      others: { weight: 4, ...reads, ...slots(slotsOfOthers) },
      lists: { weight: 2, ...reads, ...slots(slotsOfLists, mostListsPerFlow) },
      unverified: { weight: 2, waiting: 2_000, ...slots(few), ...rest, burstWaitMs: 2_000 },
      anonymous: { weight: 1, waiting: 512, ...slots(few), ...rest },
    },
  };
}
