/**
 * A request whose beginning and end nobody can dispute, so that it must be answered, in its turn.
 */
export interface WholeRequest {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  /** The X-Request-Id that an answer by the application repeats; undefined when it need not. */
  readonly requestId: string | undefined;
}

/**
 * What stands behind the whole requests of a case: - `nothing`; - `refusal`: something with which
 * the service must have done: it refuses it and closes the connection; - `anything`: bytes of which
 * the sender cannot say what they are.
 */
export type Rest = 'nothing' | 'refusal' | 'anything';

/** What is sent over one connection, and what may be said of it beforehand. */
export interface FuzzCase {
  readonly index: number;
  /** What was done to it, for the report: names joined by "+". */
  readonly kind: string;
  readonly bytes: Buffer;
  /** Where the sender pauses: positions in the bytes, rising. */
  readonly cuts: readonly number[];
  readonly requests: readonly WholeRequest[];
  readonly rest: Rest;
  /** X-Request-Id of a request that hides in another one's body, and must never be answered. */
  readonly smuggledId?: string;
}

/** The pieces in which a case is sent. */
export function pieces({ bytes, cuts }: FuzzCase): Buffer[] {
  const ends = [...cuts, bytes.length];
  return ends.map((end, number) => bytes.subarray(cuts[number - 1] ?? 0, end));
}

/** What came back over the connection of a case. */
export interface Transcript {
  readonly bytes: Buffer;
  /** The service closed the connection, and the client had not said that it was done. */
  readonly closedByService: boolean;
  /** The connection was reset, so that the last answer may be lost. */
  readonly wasReset: boolean;
  /** The time was up before there was an answer to everything. */
  readonly timedOut: boolean;
  /** From the first byte sent to the last one received. */
  readonly elapsedMs: number;
}

/** Sends a case and waits for what comes back. */
export type Exchange = (fuzzCase: FuzzCase) => Promise<Transcript>;
