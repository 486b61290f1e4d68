import type { Rejection } from './errors.js';
import { version } from './generated/api.js';
import { redact } from './logging.js';
import type { Settings } from './options.js';
import { type ApiRequest, targetOf } from './request.js';

/** What one attempt led to. */
export type Outcome =
  | { kind: 'success'; status: number; headers: Headers; body: unknown; requestId: string | undefined }
  | { kind: 'rejected'; rejection: Rejection; headers: Headers }
  /** A response from the other environment. Its body was not read. */
  | { kind: 'foreign'; status: number; environment: string; requestId: string }
  /** No complete response, or one that did not come from the service: the outcome is unknown. */
  | {
      kind: 'lost';
      status: number | undefined;
      failure: Error;
      requestId: string;
      retryAfterMs: number | undefined;
    };

/** A weekday begins every HTTP date. `Date.parse` also reads `-5` and `1.5` as dates. */
const httpDate = /^[FMSTW]/;

/**
 * `Retry-After` in seconds or as a date. Undefined for zero, and for a date in the past, which a
 * clock that is fast makes of every date: all attempts would follow at once.
 */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? '';
  let ms = NaN;
  if (/^\d+$/.test(text)) ms = Number(text) * 1_000;
  else if (httpDate.test(text)) ms = Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isInputError = (value: unknown): boolean => isObject(value) && typeof value['detail'] === 'string';

/** Undefined for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The complete lines of NDJSON. */
const parseLines = (text: string): unknown[] => text.split('\n').slice(0, -1).map(parse);

function bodyOf({ body, lines, file }: ApiRequest): Blob | ArrayBuffer | string | null {
  // A view of shared memory is rejected by fetch.
  if (file) return file as ArrayBuffer;
  if (lines) return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return body ? JSON.stringify(body) : null;
}

/** More than any response of the service has. */
const mostBytes = 64 * 1_048_576;

/** @throws Error for a body that does not end: it would fill the memory */
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

/** The problem document of a response, or what can be said without one. */
function toRejection(response: Response, body: unknown, requestId: string): Rejection {
  const problem = isObject(body) && typeof body['code'] === 'string' ? body : undefined;
  const { status, headers } = response;
  const detail =
    status >= 300 && status < 400
      ? 'The address redirects, and the SDK does not send credentials elsewhere. Correct baseUrl.'
      : 'The response is not from the service. Check baseUrl, and the proxies in between.';
  return {
    status,
    code: problem?.['code'] as string | undefined,
    detail: typeof problem?.['detail'] === 'string' ? problem['detail'] : detail,
    errors: (Array.isArray(problem?.['errors'])
      ? problem['errors'].filter(isInputError)
      : []) as Rejection['errors'],
    retryable: problem ? problem['retryable'] === true : status === 408 || status === 429,
    requestId: headers.get('X-Request-Id') ?? requestId,
    retryAfterMs: retryAfterMs(headers),
  };
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
  const lost = (failure: Error): Outcome => ({
    kind: 'lost',
    status,
    failure,
    requestId,
    retryAfterMs: waitMs,
  });
  try {
    const response = await settings.fetch(settings.baseUrl + targetOf(request), {
      method: request.method,
      headers: {
        'API-Key': settings.apiKey,
        'API-Secret': settings.apiSecret,
        'X-Request-Id': requestId,
        'User-Agent': `contribution-service-sdk/${version}`,
        ...(request.body && { 'Content-Type': 'application/json' }),
        ...(request.lines && { 'Content-Type': 'application/x-ndjson' }),
        ...(request.file && { 'Content-Type': 'application/octet-stream' }),
        ...(request.key !== undefined && { 'Idempotency-Key': request.key }),
      },
      body: bodyOf(request),
      // A redirect would send the secret to another address.
      redirect: 'manual',
      signal: controller.signal,
    });
    ({ status } = response);
    const environment = response.headers.get('Environment');
    if (environment !== null && environment !== settings.environment) {
      controller.abort();
      return { kind: 'foreign', status, environment, requestId };
    }
    waitMs = retryAfterMs(response.headers);
    const text = await textOf(response);
    const body =
      request.lines && !request.hasOneBody && response.ok
        ? { lines: parseLines(text) }
        : text === ''
          ? undefined
          : parse(text);
    if (response.ok) {
      const { isComplete } = request;
      if (isComplete && !(isObject(body) && isComplete(body)))
        return lost(
          new Error(`the body of the response with status ${status} is incomplete or not from the service`),
        );
      return {
        kind: 'success',
        status,
        headers: response.headers,
        body,
        requestId: response.headers.get('X-Request-Id') ?? undefined,
      };
    }
    const rejection = toRejection(response, body, requestId);
    if (status >= 500 && rejection.code === undefined)
      return lost(new Error(`status ${status} from a proxy, not from the service`));
    return { kind: 'rejected', rejection, headers: response.headers };
  } catch (error) {
    return lost(describeFailure(error, [settings.apiSecret, ...(request.personal ?? [])]));
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', abort);
  }
}

/** A failure of fetch with its causes as one line, without secrets and personal data. */
function describeFailure(error: unknown, secrets: readonly (string | undefined)[]): Error {
  const messages: string[] = [];
  for (let each = error; each instanceof Error && messages.length < 4; each = each.cause) {
    const { code } = each as { code?: unknown };
    messages.push(each.message || (typeof code === 'string' ? code : each.name));
  }
  return new Error(redact(messages.join(': ') || String(error), secrets));
}
