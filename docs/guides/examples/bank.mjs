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
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
function isTransactionId(text) {
  if (!/^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$/.test(text)) return false;
  let product = 36;
  for (const character of text.slice(0, 14)) {
    product = (((product + alphabet.indexOf(character)) % 36 || 36) * 2) % 37;
  }
  return alphabet[(37 - product) % 36] === text[14];
}
console.log(isTransactionId('K7Q20CR5M3V9XHG'), isTransactionId('K7Q20CR5M3V9HXG'));
async function complete(transfer) {
  const body = { status: 'completed', amount: transfer.amount, bank_reference: transfer.reference };
  return send('PUT', `/contributions/${transfer.transaction_id}`, body);
}
const { data: pending } = await send('GET', '/contributions?status=pending&limit=1');
for (const { transaction_id, amount } of pending) {
  const { status } = await complete({ transaction_id, amount, reference: 'FT-2026-0243' });
  console.log(amount, status);
}
async function readWindow(from) {
  const contributions = [];
  let until;
  let cursor = null;
  do {
    const query = new URLSearchParams({ completed_from: from, limit: '1000' });
    if (cursor !== null) query.set('cursor', cursor);
    const page = await send('GET', `/contributions?${query}`);
    until = page.complete_until;
    for (const row of page.data) {
      if (row.completed_at !== null && row.completed_at < until) contributions.push(row);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  // The list may be complete only up to a time before `from`. Never move back.
  return { contributions, until: Date.parse(until) > Date.parse(from) ? until : from };
}
const window = await readWindow('2026-01-01T00:00:00Z');
console.log(window.contributions.every(({ status }) => status === 'completed'));
