import type { CallOptions } from './options.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** A file in memory, so that it can be sent again. */
export type FileContent = Uint8Array | ArrayBuffer | Blob;

/**
 * A request as a resource describes it. The transport repeats it, so a request that is not safe to
 * repeat is sent with `once`.
 */
export interface ApiRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** The path with placeholders, for logs. */
  readonly path: string;
  /** The values of the placeholders. */
  readonly ids?: readonly (string | number)[];
  readonly query?: Query;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A file with one line for each, instead of a body. So is the response, unless `hasOneBody`. */
  readonly lines?: readonly object[];
  /** The response to `lines` is one JSON object. */
  readonly hasOneBody?: boolean;
  /** Bytes that are sent as they are, instead of a body. */
  readonly file?: FileContent;
  readonly key?: string;
  /** Values that must not appear in a log or an error. */
  readonly personal?: readonly (string | undefined)[];
  /** Whether a successful body is complete. A truncated or foreign one counts as no response. */
  readonly isComplete?: (body: Record<string, unknown>) => boolean;
}

/** Whether a body has this member as text. */
export const hasText =
  (name: string) =>
  (body: Record<string, unknown>): boolean =>
    typeof body[name] === 'string';

/** The options of a call that every repeat would add to. */
export type OnceOptions = Omit<CallOptions, 'maxAttempts'>;

export const once = (options: OnceOptions): CallOptions => ({ ...options, maxAttempts: 1 });

/** The path and query of a request, percent-encoded. */
export function targetOf({ path, ids = [], query = {} }: ApiRequest): string {
  let next = 0;
  const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(ids[next++])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  // URLSearchParams writes a space as +, and + as %2B, which is what the service reads.
  const text = parameters.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
