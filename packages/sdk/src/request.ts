import { checkPathId, checkTime, checkUserHash } from './checks.js';
import { assertInput } from './errors.js';
import { checkMembers } from './names.js';
import type { CallOptions } from './options.js';
import type { Members } from './values.js';

/** The content of a file, in memory so that it can be sent again. */
export type FileContent = Uint8Array | ArrayBuffer | Blob;

/** The parts of a request that its operation does not define. */
export interface RequestParts {
  /** The values of the placeholders in the path. */
  readonly ids?: readonly unknown[];
  readonly query?: object | undefined;
  readonly body?: object;
  /** The names of query or body members that are times, separated by spaces. */
  readonly times?: string;
  /**
   * Items that are sent as a file with one line each, instead of a body. Without `has`, the
   * response is also a file: one line for each item, and a summary.
   */
  readonly lines?: readonly object[];
  /** Bytes that are sent as they are, instead of a body. */
  readonly file?: FileContent;
  readonly key?: string;
  /**
   * The members of a successful body, separated by spaces. A truncated or foreign body counts as no
   * response.
   */
  readonly has?: string;
}

/**
 * A request that a resource describes. The transport may repeat it, so a request that is not safe
 * to repeat is sent with `once`.
 */
export interface ApiRequest extends RequestParts {
  /**
   * The operation, a constant of `generated/api.ts`: the method, the path and the names that it
   * accepts.
   */
  readonly operation: string;
}

/** The options of a call that is sent once, because each repeat would have a further effect. */
export type OnceOptions = Omit<CallOptions, 'maxAttempts'>;

export const once = (options: OnceOptions | undefined): CallOptions => ({ ...options, maxAttempts: 1 });

/** Boolean query parameters. The service accepts 1, or their absence for false. */
const flags = ['open', 'highlights', 'description', 'dry_run'];

/** Checks a query or body, and formats its times for the service. */
function checkInput(
  input: object | undefined,
  { operation, times = '' }: ApiRequest,
): Record<string, unknown> {
  checkMembers('params', operation, input);
  const checked: Record<string, unknown> = { ...input };
  for (const name of times.split(' '))
    if (checked[name] !== undefined) checked[name] = checkTime(name, checked[name]);
  return checked;
}

/**
 * Checks and copies the input of the caller, who may change the original between two attempts.
 *
 * @throws InvalidInput that says what to correct
 */
export function checkRequest(request: ApiRequest): ApiRequest {
  const { operation, ids = [], lines = [] } = request;
  const names = Array.from(operation.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const query = checkInput(request.query ?? {}, request);
  if (query['user_hash'] !== undefined) checkUserHash(query['user_hash']);
  for (const name of flags) {
    const flag = query[name];
    assertInput(flag === undefined || typeof flag === 'boolean', name, 'Pass true or false.');
    query[name] = flag ? 1 : undefined;
  }
  for (const line of lines) checkMembers('params', operation, line);
  return {
    ...request,
    ids: names.map((name, index) => checkPathId(name, ids[index])),
    query,
    ...('body' in request && { body: checkInput(request.body, request) }),
  };
}

/** The method of a request, and its path with placeholders, for logs. */
export function routeOf({ operation }: ApiRequest): { method: string; path: string } {
  const [method = '', path = ''] = operation.split(' ');
  return { method, path };
}

/** The path and query of a request, percent-encoded. */
export function targetOf(request: ApiRequest): string {
  const { ids = [], query = {} } = request;
  let next = 0;
  const filled = routeOf(request).path.replace(/\{\w+\}/g, () => encodeURIComponent(String(ids[next++])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  // URLSearchParams writes a space as + and a + as %2B. The service reads both correctly.
  const text = parameters.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

/** Values that must not appear in a log or an error. */
export function personalOf({ query = {}, body = {} }: ApiRequest): unknown[] {
  const { user_hash: filtered } = query as Members;
  const { user_hash: user, name } = body as Members;
  return [filtered, user, name];
}
