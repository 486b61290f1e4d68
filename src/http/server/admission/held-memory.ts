import type { IncomingMessage } from 'node:http';

import type { TrafficClass } from '../../../shared/traffic-classes';

/** Approximate size of a request, its response and its context, without the headers. */
const bytesOfMessages = 4 * 1024;

export interface HeldMemoryLimits {
  /** Beyond this, connections with more than their share are closed. */
  totalBytes: number;
  /** The share of one connection. A few requests fit, and so does one with the largest headers. */
  bytesOfConnection: number;
}

const defaultLimits: HeldMemoryLimits = { totalBytes: 16 * 1024 * 1024, bytesOfConnection: 24 * 1024 };

/**
 * Classes that are not limited here: the rate limits and the lengths of their queues bound them.
 */
const exemptClasses: ReadonlySet<TrafficClass> = new Set(['completions', 'creates']);

/** A request that is counted until its response is written. */
export interface CountedRequest {
  readonly req: Pick<IncomingMessage, 'rawHeaders' | 'url'>;
  readonly connection: { heldBytes: number };
  heldBytes: number;
}

/**
 * Bounds the memory of the requests of all connections together, by their approximate bytes. The
 * limit of requests per connection alone does not: a thousand connections can each pipeline that
 * many.
 */
export function createHeldMemory(limits: HeldMemoryLimits = defaultLimits) {
  let total = 0;

  return {
    add(request: CountedRequest) {
      const { rawHeaders, url = '' } = request.req;
      request.heldBytes = bytesOfMessages + url.length;
      for (const text of rawHeaders) request.heldBytes += text.length;
      request.connection.heldBytes += request.heldBytes;
      total += request.heldBytes;
    },
    remove({ connection, heldBytes }: CountedRequest) {
      connection.heldBytes -= heldBytes;
      total -= heldBytes;
    },
    /** Whether to close the connection of a request that has just been added and screened. */
    isExceededBy(
      { connection }: CountedRequest,
      { trafficClass, rejection }: { trafficClass: TrafficClass; rejection?: object | undefined },
    ) {
      if (total <= limits.totalBytes || connection.heldBytes <= limits.bytesOfConnection) return false;
      return rejection !== undefined || !exemptClasses.has(trafficClass);
    },
  };
}
