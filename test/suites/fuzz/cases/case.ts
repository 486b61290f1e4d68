/** A request with unambiguous boundaries, which must get a response, in order. */
export interface WholeRequest {
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  /** The X-Request-Id that the application's response must repeat; undefined if it need not. */
  readonly requestId: string | undefined;
}

/**
 * What follows the whole requests of a case:
 * - `nothing`;
 * - `refusal`: an invalid request, which the service must reject and then close the connection;
 * - `anything`: arbitrary bytes with no expectation.
 */
export type Rest = 'nothing' | 'refusal' | 'anything';

/** The bytes of one connection, and what is known about them. */
export interface FuzzCase {
  readonly index: number;
  /** The applied mutations for the report: names joined by "+". */
  readonly kind: string;
  readonly bytes: Buffer;
  /** The positions in the bytes at which the sender pauses, in ascending order. */
  readonly cuts: readonly number[];
  readonly requests: readonly WholeRequest[];
  readonly rest: Rest;
  /**
   * X-Request-Id of a request that is smuggled in another request's body. It must never get a
   * response.
   */
  readonly smuggledId?: string;
}

/** The pieces in which a case is sent. */
export function pieces({ bytes, cuts }: FuzzCase): Buffer[] {
  const ends = [...cuts, bytes.length];
  return ends.map((end, number) => bytes.subarray(cuts[number - 1] ?? 0, end));
}

/** What the connection of a case returned. */
export interface Transcript {
  readonly bytes: Buffer;
  /** The service closed the connection before the client half-closed it. */
  readonly closedByService: boolean;
  /** The connection was reset, so the last response may be lost. */
  readonly wasReset: boolean;
  /** The timeout expired before every response arrived. */
  readonly timedOut: boolean;
  /** From the first byte sent to the last byte received. */
  readonly elapsedMs: number;
}

/** Sends a case and waits for its responses. */
export type Exchange = (fuzzCase: FuzzCase) => Promise<Transcript>;
