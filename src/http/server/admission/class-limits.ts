import type { TrafficClass } from '../../../shared/traffic-classes';

export interface ClassLimits {
  /** Share of the starts while several classes wait. */
  weight: number;
  /**
   * Requests in progress. Completions, creates, others and lists share their places: see
   * `limitsOfClasses`.
   */
  inProgress: number;
  /** Requests of one environment or client address in progress. */
  perFlow: number;
  /**
   * Requests that may wait. Beyond them the flow with the most waiting requests loses its oldest
   * one.
   */
  waiting: number;
  /** How long a request waits while the queue is a burst that will drain. */
  burstWaitMs: number;
  /** How long a request waits in a standing queue, which will not drain. */
  standingWaitMs: number;
  /** A flow's queue can be standing only when it has not been empty for this long. */
  standingAfterMs: number;
}

/** Requests of one connection in progress; pipelined requests behind them wait. */
export const perConnectionInProgress = 4;

/** No client sends more. Node parses a header at a cost that its size does not bound. */
export const mostHeaders = 200;

/**
 * Requests of one connection without a response. Beyond them it is closed: no client pipelines that
 * many.
 */
export const mostHeldPerConnection = 64;

/**
 * Their responses can be large; those of creates and completions are small. An unverified request
 * may be a completion, and others share its address.
 */
export const readClasses: ReadonlySet<TrafficClass> = new Set(['others', 'lists', 'anonymous']);

/** Of a class's places, how many one environment or client address may have. */
const shareOfFlow = 0.6;

/**
 * Lists of one environment in progress: a company that lists a great deal leaves time to all
 * others.
 */
const mostListsOfFlow = 3;

/** Of the connections to the database, how many may work on lists, which take them for longest. */
const shareOfLists = 0.6;

const shareOf = (total: number, share: number): number => Math.max(1, Math.ceil(total * share));

/**
 * In progress for each database connection: enough to keep all of them busy, few enough that nobody
 * waits long behind them.
 */
const inProgressPerDatabaseConnection = 2.4;

/**
 * Completions, creates, others and lists share `total` places. Others and lists leave two sixths
 * free and, together with creates, one sixth: neither completions nor creates wait until slow reads
 * are over. Lists leave places and connections to other reads. The few unverified and anonymous
 * requests have places of their own.
 *
 * @param poolSize connections to the database
 * @param queueLength statements that may wait for one; admission never lets the queue become full
 */
export function limitsOfClasses(
  poolSize: number,
  queueLength: number,
): { classes: Record<TrafficClass, ClassLimits> } {
  const total = Math.max(
    1,
    Math.min(Math.ceil(poolSize * inProgressPerDatabaseConnection), poolSize + Math.floor(queueLength / 2)),
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
  const places = (inProgress: number, mostOfFlow = Infinity) => ({
    inProgress,
    perFlow: Math.min(mostOfFlow, shareOf(inProgress, shareOfFlow)),
  });
  const ofOthers = Math.max(1, total - 2 * reserved);
  const ofLists = Math.min(ofOthers, shareOf(poolSize, shareOfLists));
  return {
    classes: {
      completions: { ...money, ...places(total) },
      creates: { ...money, ...places(total - reserved) },
      health: { weight: 8, waiting: 512, ...places(256), ...rest },
      others: { weight: 4, ...reads, ...places(ofOthers) },
      lists: { weight: 2, ...reads, ...places(ofLists, mostListsOfFlow) },
      unverified: { weight: 2, waiting: 2_000, ...places(few), ...rest, burstWaitMs: 2_000 },
      anonymous: { weight: 1, waiting: 512, ...places(few), ...rest },
    },
  };
}
