import { type InputError, RateLimited, RequestRejected, WrongEnvironment } from './errors.js';
import { version } from './generated/api.js';
import { redact } from './logging.js';
import type { Settings } from './options.js';
import { type ApiRequest, personalOf, routeOf, targetOf } from './request.js';
import { isObject, isText, type Members } from './values.js';

/** The outcome of an attempt that did not succeed. */
export type Failure = { status: number | undefined; requestId: string } & (
  | { kind: 'rejected'; error: RequestRejected }
  /** A response from the other environment. The client did not read its body. */
  | { kind: 'foreign'; error: WrongEnvironment }
  /** No complete response, or a 5xx that did not come from the service. */
  | { kind: 'lost'; error: Error; retryAfterMs: number | undefined }
);

/** The outcome of an attempt. */
export type Outcome =
  | Failure
  | { kind: 'success'; status: number; headers: Headers; body: unknown; requestId: string | undefined };

/** Every HTTP date starts with a weekday. `Date.parse` alone would also accept `-5` and `1.5`. */
const httpDate = /^[FMSTW]/;

/**
 * Reads `Retry-After`, in seconds or as a date. Undefined for zero and for a past date, so that the
 * backoff applies. With a fast local clock, every date is past.
 */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? '';
  let ms = NaN;
  if (/^\d+$/.test(text)) ms = Number(text) * 1_000;
  else if (httpDate.test(text)) ms = Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}

const isInputError = (value: unknown): boolean => isObject(value) && isText(value['detail']);

const hasMember = (value: unknown, name: string): boolean =>
  isObject(value) && (value[name] ?? null) !== null;

/** Parses JSON. Undefined for other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the complete lines of NDJSON. Drops the last line if it was cut off. */
const parseLines = (text: string): unknown[] => text.split('\n').slice(0, -1).map(parse);

/** Whether a successful body is from the service and was not cut off. */
function isComplete(body: unknown, { lines, has }: ApiRequest): boolean {
  if (has !== undefined) return has.split(' ').every((name) => hasMember(body, name));
  if (!lines) return true;
  const received = (body as { lines: unknown[] }).lines;
  return received.length === lines.length + 1 && hasMember(received.at(-1), 'summary');
}

/** The content type and the content of a request. */
function contentOf({ body, lines, file }: ApiRequest): [type?: string, content?: ArrayBuffer | string] {
  // `fetch` rejects a view of shared memory.
  if (file)
    return [(file as Blob).type === 'application/gzip' ? 'gzip' : 'octet-stream', file as ArrayBuffer];
  if (lines) return ['x-ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join('')];
  return body ? ['json', JSON.stringify(body)] : [];
}

const checkProxies = 'Check apiUrl, and the proxies in between.';

/** No response of the service is this large. */
const mostBytes = 64 * 1_048_576;

/** @throws Error for a body that exceeds the limit: an endless one would fill the memory */
async function textOf({ body }: Response): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let byteCount = 0;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    byteCount += value.byteLength;
    if (byteCount > mostBytes) {
      await reader.cancel();
      throw new Error(`the response has more than ${mostBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * Creates the error for a rejection by the service or a proxy. Only a problem document with a code
 * comes from the service. Other responses do not show what the service did.
 */
function toRejection({ status, headers }: Response, body: unknown, requestId: string): RequestRejected {
  const isProblem =
    /^application\/problem\+json\b/i.test(headers.get('Content-Type') ?? '') &&
    isObject(body) &&
    isText(body['code']);
  const { code, detail, errors, retryable, transaction_id, idempotency_key }: Members = isProblem ? body : {};
  const advice =
    status >= 300 && status < 400
      ? 'The address redirects, which is not followed. Correct apiUrl.'
      : `The response is not from the service. ${checkProxies}`;
  const Rejection = status === 429 ? RateLimited : RequestRejected;
  return new Rejection({
    status,
    code: code as string | undefined,
    detail: isText(detail) ? detail : advice,
    errors: (Array.isArray(errors) ? errors.filter(isInputError) : []) as InputError[],
    retryable: isProblem ? retryable === true : status === 408 || status === 429,
    requestId,
    retryAfterMs: retryAfterMs(headers),
    transactionId: transaction_id as string | undefined,
    idempotencyKey: idempotency_key as string | undefined,
  });
}

/** Sends a request once. It never rejects: a failure is an outcome. */
export async function attempt(
  settings: Settings,
  request: ApiRequest,
  limits: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const requestId = crypto.randomUUID();
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(limits.signal?.reason);
  };
  const timer = setTimeout(() => {
    controller.abort(new Error(`no complete response within ${Math.round(limits.timeoutMs)} ms`));
  }, limits.timeoutMs);
  limits.signal?.addEventListener('abort', abort, { once: true });
  if (limits.signal?.aborted) abort();
  let status: number | undefined;
  let waitMs: number | undefined;
  const lost = (error: Error): Outcome => ({ kind: 'lost', status, error, requestId, retryAfterMs: waitMs });
  try {
    const [type, content] = contentOf(request);
    const response = await settings.fetch(settings.apiUrl + targetOf(request), {
      method: routeOf(request).method,
      headers: {
        'API-Key': settings.apiKey,
        'API-Secret': settings.apiSecret,
        'X-Request-Id': requestId,
        'User-Agent': `contribution-service-sdk/${version}`,
        ...(type !== undefined && { 'Content-Type': `application/${type}` }),
        ...(request.key !== undefined && { 'Idempotency-Key': request.key }),
      },
      body: content ?? null,
      // A redirect would send the secret to another address.
      redirect: 'manual',
      signal: controller.signal,
    });
    ({ status } = response);
    const environment = response.headers.get('Environment');
    if (environment !== null && environment !== settings.environment) {
      controller.abort();
      const error = new WrongEnvironment(
        `The response is from ${environment}, but you expect ${settings.environment}. ${checkProxies}`,
      );
      return { kind: 'foreign', status, error, requestId };
    }
    waitMs = retryAfterMs(response.headers);
    const text = await textOf(response);
    const body =
      request.lines && request.has === undefined && response.ok
        ? { lines: parseLines(text) }
        : text === ''
          ? undefined
          : parse(response.ok ? text : redact(text, [settings.apiSecret]));
    const givenId = response.headers.get('X-Request-Id') ?? undefined;
    if (response.ok)
      return isComplete(body, request)
        ? { kind: 'success', status, headers: response.headers, body, requestId: givenId }
        : lost(
            new Error(`the body of the response with status ${status} is incomplete or not from the service`),
          );
    const error = toRejection(response, body, givenId ?? requestId);
    if (status >= 500 && error.code === undefined)
      return lost(new Error(`status ${status} from a proxy, not from the service`));
    return { kind: 'rejected', status, error, requestId: givenId ?? requestId };
  } catch (error) {
    return lost(describeFailure(error, [settings.apiSecret, ...personalOf(request)]));
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', abort);
  }
}

/** Describes a failure of fetch and its causes in one line, without secrets and personal data. */
function describeFailure(error: unknown, secrets: readonly unknown[]): Error {
  const messages: string[] = [];
  // In Jest, fetch fails with an Error of another realm: `instanceof` does not know it.
  let each = error as { message?: string; code?: unknown; name: string; cause?: unknown } | undefined;
  for (; isText(each?.message) && messages.length < 4; each = each.cause as typeof each) {
    const { message, code, name } = each;
    messages.push(message || (isText(code) ? code : name));
  }
  return new Error(redact(messages.join(': ') || String(error), secrets));
}
