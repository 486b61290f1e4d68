import { checkEnvironment, type Environment } from './credentials.js';
import { InvalidInput } from './errors.js';
import type { Event, PingEvent } from './generated/api.js';
import { checkNames } from './names.js';
import { isText } from './values.js';
import { WebhookRejected, type WebhookRejection } from './webhook-rejected.js';

/** A message to a receiver: an event of the feed, or a ping. Pings are in no feed. */
export type WebhookEvent = Event | PingEvent;

/** The headers of a request: of `fetch`, of Node.js, or a plain object with lowercase names. */
export type WebhookHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of `webhooks.verify`. */
export interface VerifyOptions {
  /**
   * The secret of the endpoint, which begins with `whsec_`. During a rotation, pass the new and
   * the old one.
   */
  secret: string | readonly string[] | undefined;
  /** Rejects events of the other environment. Default: `test`. */
  expectEnvironment?: Environment | undefined;
  /** The largest difference between `webhook-timestamp` and your clock. Default: 300 seconds. */
  toleranceSeconds?: number | undefined;
  /** The time in milliseconds. Only for tests. */
  now?: (() => number) | undefined;
}

/** The headers that sign a webhook, by the Standard Webhooks specification. */
export interface SignedHeaders {
  /** The id of the message, which all deliveries of an event share. */
  'webhook-id': string;
  /** The time of this delivery, in seconds since 1970. */
  'webhook-timestamp': string;
  /** A signature for each secret, separated by spaces. */
  'webhook-signature': string;
}

const encoder = new TextEncoder();

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const secretAdvice = 'Pass the secret of the endpoint. It begins with whsec_. An API-Secret is not one.';

/** @throws InvalidInput for anything but the secret of an endpoint. The message never shows it */
function secretBytesOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const encoded = isText(secret) ? /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret.trim())?.[1] : undefined;
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes =
      encoded === undefined ? undefined : Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  } catch {
    // The text is not base64.
  }
  if (bytes === undefined || bytes.length < 24) throw new InvalidInput('secret', secretAdvice);
  return bytes;
}

export const verifyNames = 'secret expectEnvironment toleranceSeconds now';

/**
 * Checks the options of a receiver.
 *
 * @returns the bytes of each secret
 * @throws InvalidInput that says which option to correct
 */
export function checkVerifyOptions(options: VerifyOptions): Uint8Array<ArrayBuffer>[] {
  checkNames('options', options, verifyNames);
  const { secret, expectEnvironment, toleranceSeconds = 300 } = options;
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw new InvalidInput('secret', secretAdvice);
  const bytes = secrets.map(secretBytesOf);
  checkEnvironment(expectEnvironment);
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0))
    throw new InvalidInput('toleranceSeconds', 'Pass a number of seconds, such as 300.');
  return bytes;
}

const keyOf = (bytes: Uint8Array<ArrayBuffer>): Promise<Key> =>
  crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as Pick<Headers, 'get'>).get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return isText(value) ? value : value?.[0];
}

const rejected = (reason: WebhookRejection, advice: string): WebhookRejected =>
  new WebhookRejected(reason, advice);

/** @throws WebhookRejected if this is not the raw body; the message says how to get the raw body */
function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (isText(body) || body instanceof Uint8Array || body instanceof ArrayBuffer) {
    const bytes = isText(body) ? encoder.encode(body) : new Uint8Array(body);
    if (bytes.length > 0) return bytes;
    throw rejected(
      'body_missing',
      'The body is empty. Something read the stream of the request before, such as a body parser. Verify the webhook first.',
    );
  }
  throw rejected(
    body === undefined || body === null ? 'body_missing' : 'body_parsed',
    'Pass the raw body as a string or bytes. JSON that was parsed and serialized again has another signature. In Express, mount express.raw({ type: "application/json" }) on this route before express.json(), and pass req.body. With fetch, pass await request.text().',
  );
}

function checkTime(text: string, { toleranceSeconds = 300, now = Date.now }: VerifyOptions): void {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  if (seconds === undefined)
    throw rejected('timestamp_invalid', 'webhook-timestamp is not a number of seconds.');
  const age = Math.round(now() / 1_000) - seconds;
  if (Math.abs(age) <= toleranceSeconds) return;
  throw rejected(
    age > 0 ? 'timestamp_too_old' : 'timestamp_too_new',
    `webhook-timestamp is ${Math.abs(age)} s in the ${age > 0 ? 'past' : 'future'}, and the tolerance is ${toleranceSeconds} s. Check your clock. Otherwise, somebody replays an old request.`,
  );
}

function eventOf(bytes: Uint8Array, expected: Environment): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw rejected('body_invalid', 'The body is not JSON.');
  }
  const { id, type, environment } = (event ?? {}) as Partial<WebhookEvent>;
  if (!isText(id) || !isText(type)) throw rejected('body_invalid', 'The body is not an event.');
  if (environment !== expected)
    throw rejected(
      'wrong_environment',
      `The event is of the environment ${String(environment)}, and this endpoint expects ${expected}.`,
    );
  return event as WebhookEvent;
}

/**
 * Verifies a webhook and returns its event. Pass the body exactly as it arrived. Respond with 400
 * if this throws. A delivery may be repeated: process each `id` of an event once.
 *
 * @param body the raw body, before any parser
 * @param options the secret of the endpoint, and what else to check
 * @throws WebhookRejected if the request is not a current webhook of this endpoint
 * @throws InvalidInput for a wrong secret or environment
 * @example
 * const event = await webhooks.verify(await request.text(), request.headers, {
 *   secret,
 *   expectEnvironment: 'production',
 * });
 */
async function verify(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  const keys = await Promise.all(checkVerifyOptions(options).map(keyOf));
  const bytes = bytesOf(body);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf((headers as WebhookHeaders | null | undefined) ?? {}, name),
  );
  if (!id || !timestamp || !signatures)
    throw rejected(
      'headers_missing',
      'Pass the headers of the request, with webhook-id, webhook-timestamp and webhook-signature. Check that no proxy removes them.',
    );
  checkTime(timestamp, options);
  const signed = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(signed.length + bytes.length);
  content.set(signed);
  content.set(bytes, signed.length);
  for (const [, signature = ''] of signatures.matchAll(/(?:^|\s)v1,([A-Za-z0-9+/]{43}=)(?=\s|$)/g)) {
    const given = Uint8Array.from(atob(signature), (letter) => letter.charCodeAt(0));
    for (const key of keys)
      if (await crypto.subtle.verify('HMAC', key, given, content)) {
        const event = eventOf(bytes, checkEnvironment(options.expectEnvironment));
        if (event.id === id) return event;
        throw rejected('body_invalid', 'webhook-id is not the id of the event.');
      }
  }
  throw rejected(
    'signature_mismatch',
    'No signature fits. Check that the secret belongs to this endpoint and environment, and that the body is the one that arrived: not parsed, trimmed or decoded.',
  );
}

/**
 * Signs a body as the service does, with each of the secrets. Use it to test your receiver.
 *
 * @param body the body, as it is sent
 * @param message `id` is the id of the message, and `at` the time in milliseconds. Default: now
 */
async function sign(
  body: string,
  {
    id,
    secret,
    at = Date.now(),
  }: { id: string; secret: string | readonly string[]; at?: number | undefined },
): Promise<SignedHeaders> {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures: string[] = [];
  for (const each of isText(secret) ? [secret] : secret) {
    const content = encoder.encode(`${id}.${timestamp}.${body}`);
    const signature = await crypto.subtle.sign('HMAC', await keyOf(secretBytesOf(each)), content);
    signatures.push(`v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`);
  }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Receives webhooks, which carry the events of your feed. */
export const webhooks: Readonly<{ verify: typeof verify; sign: typeof sign }> = Object.freeze({
  verify,
  sign,
});
