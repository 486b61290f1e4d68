/**
 * A request as a resource describes it. Every request of the SDK is safe to repeat, except
 * `sandbox.settle`, which has one attempt.
 */
export interface ApiRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The path with placeholders, for logs. */
  readonly path: string;
  /** The values of the placeholders. */
  readonly ids?: readonly (string | number)[];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A file with one line for each, instead of a body. The response is one too. */
  readonly lines?: readonly object[];
  readonly key?: string;
  /** Values that must not appear in a log or an error. */
  readonly personal?: readonly (string | undefined)[];
  /** Whether a successful body is complete. A truncated or foreign one counts as no response. */
  readonly isComplete?: (body: Record<string, unknown>) => boolean;
}

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
