import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'node:querystring';

import type { EndedRequest } from '../../http/request/log-line';
import type { RequestContext } from '../../http/request/request-context';
import { parseTransactionId } from '../../shared/transaction-id';
import { faultKinds } from '../../http/faults/fault-kinds';
import { webhookFaultKinds } from '../webhooks/courier/webhook-fault.field';
import type { LoggedError, LoggedRequest, LoggedValue } from './requests.store';

/** Replaces a value that may be secret or personal, or that does not have the expected form. */
export const removed = '[removed]';

const digits = /^\d{1,18}$/;
const time = /^\d{4}-\d\d-\d\d(T[\d:.]{5,20}Z)?$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const flag = /^(true|false)$/;
const oneOf = (values: readonly string[]): RegExp => new RegExp(`^(${values.join('|')})$`);

/**
 * The parameters and members that are logged, with the expected form of their values. A value with
 * another form is removed, because it may be a misplaced `user_hash`. Unknown names are not logged.
 */
const known: Readonly<Record<string, RegExp | typeof removed>> = {
  user_hash: removed,
  name: removed,
  // Free text and opaque text.
  bank_reference: removed,
  cursor: removed,
  idempotency_key: removed,

  project_id: digits,
  story_id: digits,
  amount: /^[-+]?[\d.,]{1,20}$/,
  currency: /^[A-Z]{3}$/,
  status: /^(pending|completed)$/,
  value_date: time,
  limit: digits,
  highlights: digits,
  description: digits,
  company_id: uuid,
  created_from: time,
  created_to: time,
  completed_from: time,
  completed_to: time,
  bank: /^(simulated|linked|none)$/,
  settle_after_seconds: digits,
  magic_amounts: flag,
  times: digits,
  after_seconds: digits,
  kind: oneOf([...faultKinds, ...webhookFaultKinds, 'return', 'reversal', 'chargeback', 'refund', 'recall']),
  reason: oneOf(['dishonored', 'chargeback_won', 'paid_again']),
  code: /^([A-Z]\d\d|[A-Z]{2}\d\d)$/,
  delay_ms: digits,
};

function valueOf(name: string, value: unknown): LoggedValue {
  if (value === null) return null;
  const form = known[name];
  const isSimple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isSimple && form instanceof RegExp && form.test(String(value)) ? value : removed;
}

/** The known names of a query or a body, with the values that may be logged. */
function valuesOf(input: Readonly<Record<string, unknown>>): Record<string, LoggedValue> {
  const names = Object.keys(known).filter((name) => Object.hasOwn(input, name));
  return Object.fromEntries(names.map((name) => [name, valueOf(name, input[name])]));
}

const idForms: Readonly<Record<string, (value: string) => boolean>> = {
  '{project_id}': (value) => digits.test(value),
  '{return_id}': (value) => uuid.test(value),
  '{story_id}': (value) => digits.test(value),
  '{transaction_id}': (value) => parseTransactionId(value) !== undefined,
};

/** The path of a request. A malformed id is replaced by its placeholder. */
function pathOf(route: string, url: string): string {
  const sent = (url.split('?', 1)[0] ?? '').split('/');
  return route
    .split('/')
    .map((part, index) => {
      const hasForm = idForms[part];
      const value = sent[index] ?? '';
      return hasForm?.(value) ? value : part;
    })
    .join('/');
}

const personalMembers = ['user_hash', 'name', 'bank_reference'];
/** Shorter values are not searched for, because they would match by chance. */
const shortestSearched = 3;

const isSearched = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= shortestSearched;

/**
 * The personal values of a request, in lower case. Other texts of the request are searched for
 * them.
 */
function personalValues(...inputs: Readonly<Record<string, unknown>>[]): string[] {
  return inputs
    .flatMap((input) => personalMembers.flatMap((name) => input[name]))
    .filter(isSearched)
    .map((value) => value.toLowerCase());
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
function errorOf(error: NonNullable<RequestContext['problem']>['errors'][number]): LoggedError {
  const { code, detail } = error;
  if ('header' in error) return { header: error.header, code, detail };
  if ('pointer' in error) {
    return { pointer: Object.hasOwn(known, error.pointer.slice(1)) ? error.pointer : removed, code, detail };
  }
  const parameter = error.parameter === 'transaction_id' || Object.hasOwn(known, error.parameter);
  return { parameter: parameter ? error.parameter : removed, code, detail };
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
 * The entry of the request log, without the secret, `user_hash`, names and free text. It contains
 * only members that this file lists, so a new member is not logged until somebody adds it.
 */
export function loggedRequest(
  ended: EndedRequest & { principal: NonNullable<EndedRequest['principal']> },
  req: Pick<IncomingMessage, 'url' | 'headers'>,
  {
    body,
    problem,
    headers,
    operationId,
  }: Pick<RequestContext, 'body' | 'problem' | 'headers' | 'operationId'>,
  now: Date,
): LoggedRequest {
  const url = req.url ?? '';
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
    path: ended.isOperation && ended.route !== undefined ? safe(pathOf(ended.route, url)) : null,
    operation: operationId ?? null,
    status: ended.status ?? null,
    errorCode: ended.errorCode ?? null,
    durationMs: Math.round(ended.milliseconds * 1_000) / 1_000,
    apiKey: ended.principal.apiKey,
    idempotencyKey: isKeySafe ? safe(key) : key === undefined ? null : removed,
    details: {
      query: valuesOf(query),
      body: body ? valuesOf(body) : null,
      errorDetail: problem ? safe(problem.detail) : null,
      errors: (problem?.errors ?? []).slice(0, mostErrors).map(errorOf),
      transactionId: ended.logFields?.['transaction_id'] ?? null,
      fault: ended.fault ?? null,
      isReplayed: headers['Idempotent-Replayed'] === 'true',
    },
  };
}
