import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'node:querystring';

import type { EndedRequest } from '../../http/request/log-line';
import type { RequestContext } from '../../http/request/request-context';
import { hasForm, type LoggedForms, personalMembers } from './logged-forms';
import type { LoggedError, LoggedRequest, LoggedValue } from './requests.store';

/** Replaces a value that may be secret or personal, or that does not have the expected form. */
export const removed = '[removed]';

/** A value without a form of its name is removed, because it may be a misplaced `user_hash`. */
function valueOf(value: unknown, forms: ReturnType<LoggedForms['get']>): LoggedValue {
  if (value === null) return null;
  const isSimple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isSimple && hasForm(forms, String(value)) ? value : removed;
}

/** The known names of a query or a body, with the values that may be logged. */
function valuesOf(input: Readonly<Record<string, unknown>>, forms: LoggedForms): Record<string, LoggedValue> {
  const values: [string, LoggedValue][] = [];
  for (const [name, value] of Object.entries(input))
    if (forms.has(name)) values.push([name, valueOf(value, forms.get(name))]);
  return Object.fromEntries(values);
}

/** The path of a request. A malformed id is replaced by its placeholder. */
function pathOf(route: string, url: string, forms: LoggedForms): string {
  const sent = (url.split('?', 1)[0] ?? '').split('/');
  return route
    .split('/')
    .map((part, index) => {
      const value = sent[index] ?? '';
      return hasForm(forms.get(part.slice(1, -1)), value) ? value : part;
    })
    .join('/');
}

/** Shorter values are not searched for, because they would match by chance. */
const shortestSearched = 3;

/**
 * The personal values of a request, in lower case. Other texts of the request are searched for
 * them.
 */
function personalValues(...inputs: Readonly<Record<string, unknown>>[]): string[] {
  const found: string[] = [];
  for (const input of inputs)
    for (const name of personalMembers)
      for (const value of [input[name]].flat())
        if (typeof value === 'string' && value.length >= shortestSearched) found.push(value.toLowerCase());
  return found;
}

/** Decodes percent-encoding, and converts to lower case. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}

/** Whether a text contains one of the values, which are in lower case. */
const contains = (text: string, values: readonly string[]): boolean =>
  values.some((value) => text.toLowerCase().includes(value) || plain(text).includes(value));

const mostErrors = 20;

/** Removes locations with unknown names. The caller chose these names, so they may be personal. */
function errorOf(
  error: NonNullable<RequestContext['problem']>['errors'][number],
  forms: LoggedForms,
): LoggedError {
  const { code, detail } = error;
  if ('header' in error) return { header: error.header, code, detail };
  if ('pointer' in error) {
    return { pointer: forms.has(error.pointer.slice(1)) ? error.pointer : removed, code, detail };
  }
  return { parameter: forms.has(error.parameter) ? error.parameter : removed, code, detail };
}

const secretPrefix = /cps_/i;
const keyPattern = /^[\x20-\x7e]{1,255}$/;

/**
 * Whether a body arrived but was not parsed. The idempotency key may repeat personal values from
 * it.
 */
const hasUnknownBody = (body: unknown, headers: IncomingMessage['headers']): boolean =>
  body === undefined && (headers['transfer-encoding'] ?? headers['content-length'] ?? '0') !== '0';

/**
 * The entry of the request log, without the secret, `user_hash`, names and free text. Of the
 * parameters and members, it has those of the contracts.
 */
export function loggedRequest(
  ended: EndedRequest & { principal: NonNullable<EndedRequest['principal']> },
  { req, body, problem, headers, operation }: RequestContext,
  now: Date,
  forms: LoggedForms,
): LoggedRequest {
  const { url } = req;
  const start = url.indexOf('?');
  const query = start < 0 ? {} : parseQuery(url.slice(start + 1), '&', '=', { maxKeys: 50 });
  const personal = personalValues(query, body ?? {});
  const safe = (text: string): string =>
    secretPrefix.test(text) || contains(text, personal) ? removed : text;
  const key = req.headers['idempotency-key'];
  const isKeySafe = typeof key === 'string' && keyPattern.test(key) && !hasUnknownBody(body, req.headers);
  return {
    receivedAt: new Date(now.getTime() - ended.milliseconds),
    entryId: randomUUID(),
    requestId: safe(ended.requestId),
    method: ended.method,
    path: ended.isOperation && ended.route !== undefined ? safe(pathOf(ended.route, url, forms)) : null,
    operation: operation?.contract.operationId ?? null,
    status: ended.status ?? null,
    errorCode: ended.errorCode ?? null,
    durationMs: Math.round(ended.milliseconds * 1_000) / 1_000,
    apiKey: ended.principal.apiKey,
    idempotencyKey: isKeySafe ? safe(key) : key === undefined ? null : removed,
    details: {
      query: valuesOf(query, forms),
      body: body ? valuesOf(body, forms) : null,
      errorDetail: problem ? safe(problem.detail) : null,
      errors: (problem?.errors ?? []).slice(0, mostErrors).map((error) => errorOf(error, forms)),
      transactionId: ended.logFields?.['transaction_id'] ?? null,
      fault: ended.fault ?? null,
      isReplayed: headers['Idempotent-Replayed'] === 'true',
    },
  };
}
