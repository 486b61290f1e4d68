import { ContributionService, type ContributionServiceOptions } from '../../packages/sdk/src/index.js';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';

/** What the fake service does with one request. */
export type Reply =
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  /** The connection breaks. */
  | 'lost';

/** One request that the SDK sent. */
export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

/** The problem document of the service. */
export function problem(status: number, code: string, more: object = {}): Reply {
  const retryable = [408, 429, 503].includes(status);
  return {
    status,
    body: { type: 'a', title: 'b', status, detail: 'Detail.', code, request_id: 'r', retryable, ...more },
    headers: { 'Content-Type': 'application/problem+json', 'X-Request-Id': 'r' },
  };
}

export const created: Reply = { status: 201, body: { transaction_id: 'K7Q20CR5M3V9XHG', status: 'pending' } };
export const completed: Reply = {
  status: 200,
  body: { transaction_id: 'K7Q20CR5M3V9XHG', status: 'completed', message: 'Done.' },
};

function respond(reply: Reply): Response {
  if (reply === 'lost') throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
  const { status, body, text = body === undefined ? null : JSON.stringify(body), headers } = reply;
  return new Response(status === 204 ? null : text, { status, headers: { Environment: 'test', ...headers } });
}

/** A fetch that gives these replies in turn, and repeats the last one. */
export function fakeFetch(...replies: Reply[]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fake = async (url: string, init: RequestInit): Promise<Response> => {
    const reply = replies[Math.min(sent.length, replies.length - 1)]!;
    sent.push({
      method: init.method ?? '',
      url,
      headers: init.headers as Record<string, string>,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    });
    // Another turn of the event loop, as with a network.
    await new Promise(setImmediate);
    init.signal?.throwIfAborted();
    return respond(reply);
  };
  return { fetch: fake as typeof fetch, sent };
}

export const testPair = drawKeyPair('test');

/** A client of a fake service. Without `maxAttempts`, it makes one attempt. */
export function fakeClient(replies: Reply[], options: Partial<ContributionServiceOptions> = {}) {
  const { fetch, sent } = fakeFetch(...replies);
  const client = new ContributionService({
    ...testPair,
    apiUrl: 'https://api.example.org/company/integration',
    expectEnvironment: 'test',
    maxAttempts: 1,
    fetch,
    ...options,
  });
  return { client, sent };
}

/** The error with which a call ends. */
export async function errorOf(call: PromiseLike<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the call succeeded');
}

export const user = 'Pp80EhUbiwNN6Ij3QnLPH9G1D3ArySxHItyugWK0SIY=';
export const order = { project_id: 1, amount: '25.00', user_hash: user };
