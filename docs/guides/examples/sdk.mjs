// Generated from the TypeScript examples of the guide.

const api = process.env['CONTRIBUTION_API_URL'] ?? '';
const credentials = {
  'API-Key': process.env['CONTRIBUTION_API_KEY'] ?? '',
  'API-Secret': process.env['CONTRIBUTION_API_SECRET'] ?? '',
};
/** The last failed attempt. `problem` is undefined without a response from the service. */
class RequestFailed extends Error {
  status;
  problem;
  /** Whether the service may have recorded the request. If so, send it again with the same key. */
  mayBeRecorded;
  constructor(status, problem, mayBeRecorded) {
    super(
      problem ? `${problem.code}: ${problem.detail}` : `status ${status ?? 'unknown'}, not from the service`,
    );
    this.status = status;
    this.problem = problem;
    this.mayBeRecorded = mayBeRecorded;
  }
}
async function sendOnce(method, path, body, headers = {}) {
  const response = await fetch(api + path, {
    method,
    headers: { ...credentials, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
    body: body ? JSON.stringify(body) : null,
    // A redirect would send the secret to another address.
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  });
  const isJson = response.headers.get('Content-Type')?.includes('json') ?? false;
  return { response, content: isJson ? await response.json() : undefined };
}
/** Only the service sends problem documents. Undefined for the page of a proxy or firewall. */
function problemOf(response, content) {
  const type = response?.headers.get('Content-Type') ?? '';
  const problem = content;
  return type.startsWith('application/problem+json') && problem?.code ? problem : undefined;
}
/**
 * Sends a request, with at most five attempts. Use it only for requests that are safe to retry:
 * reads, story views, completions, returns, and creates with an Idempotency-Key.
 */
async function send(...request) {
  let mayBeRecorded = false;
  for (let attempt = 1; ; attempt += 1) {
    // Undefined if no complete response arrives.
    const { response, content } = await sendOnce(...request).catch(() => ({
      response: undefined,
      content: undefined,
    }));
    const status = response?.status;
    if (response?.ok && (content !== undefined || status === 204)) return content;
    const problem = problemOf(response, content);
    const isLost = !status || status < 300 || status >= 500 || status === 408;
    mayBeRecorded ||= isLost || !problem;
    const mayRetry = problem ? problem.retryable : isLost || status === 429;
    // Retry an internal error once, then report it.
    const isFirstInternalError = problem?.code === 'internal_error' && attempt === 1;
    if (!(mayRetry || isFirstInternalError) || attempt === 5)
      throw new RequestFailed(status, problem, mayBeRecorded);
    const seconds =
      Number(response?.headers.get('Retry-After')) || 2 ** (attempt - 1) * (0.5 + Math.random());
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
const { data: projects } = await send('GET', '/projects-stories');
for (const project of projects) console.log(project.project_id, project.project_name);
const user = 'Pp80EhUbiwNN6Ij3QnLPH9G1D3ArySxHItyugWK0SIY=';
const component = await send('GET', `/projects-stories?${new URLSearchParams({ user_hash: user })}`);
for (const project of component.data) {
  console.log(project.is_supported ? 'supported:' : 'new:', project.project_name);
}
await send('PUT', '/stories/5/views', { user_hash: user });
import { randomUUID } from 'node:crypto';
/** Store the order and its key in your database before you call this. */
async function create(order) {
  const { key, ...contribution } = order;
  return send('PUT', '/contributions/create', contribution, { 'Idempotency-Key': key });
}
const order = { key: randomUUID(), project_id: 1, amount: '25.00', user_hash: user };
const created = await create(order);
const again = await create(order);
console.log(created.status, again.transaction_id === created.transaction_id);
const attemptedAt = new Date(Date.now() - 60_000).toISOString();
const query = new URLSearchParams({ user_hash: user, created_from: attemptedAt });
const found = await send('GET', `/contributions?${query}`);
console.log(found.data.some(({ transaction_id }) => transaction_id === created.transaction_id));
