import { objectOf, type Reply, type Treatment } from './proxy.js';

/** The service did the work, but the program gets no response. */
export const responseLost: Treatment = { name: 'response lost after the commit', end: 'close' };

export const requestLost: Treatment = {
  name: 'request lost before it reached the service',
  forward: false,
  end: 'close',
};

export const killed: Treatment = { name: 'program killed before the response', end: 'kill' };

export const half: Treatment = { name: 'connection cut after half of the body', end: 'half' };

/** The service did the work, but the proxy replaces its response. */
const page = (status: number, title: string): Treatment => ({
  name: `${status} with an HTML page after the commit`,
  change: () => ({
    status,
    headers: { 'Content-Type': 'text/html' },
    body: `<html><body><h1>${status} ${title}</h1></body></html>`,
  }),
});

export const html502: Treatment = page(502, 'Bad Gateway');
export const firewall403: Treatment = page(403, 'Blocked');

/** The proxy sends a problem document instead of forwarding the request. */
export function problem(
  status: number,
  code: string,
  { retryable, retryAfter }: { retryable: boolean; retryAfter?: number },
): Treatment {
  const body = {
    type: `about:blank#${code}`,
    title: 'Sent by the conformance kit',
    status,
    detail: 'The conformance kit caused this response. No changes were made.',
    code,
    request_id: 'conformance-kit',
    retryable,
  };
  return {
    name: `${status} ${code}${retryAfter === undefined ? '' : ` with Retry-After: ${retryAfter}`}`,
    forward: false,
    change: () => ({
      status,
      headers: {
        'Content-Type': 'application/problem+json',
        'X-Request-Id': 'conformance-kit',
        ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
      },
      body: JSON.stringify(body),
    }),
  };
}

/** Changes the JSON of a successful response. */
export function changeJson(
  name: string,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): Treatment {
  return {
    name,
    change: (reply: Reply) =>
      reply.status < 300 ? { ...reply, body: JSON.stringify(change(objectOf(reply.body))) } : reply,
  };
}
