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
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const { PORT, WEBHOOK_SECRET, CONFORM_FOLDER: folder = '.' } = process.env;
const secrets = (WEBHOOK_SECRET ?? '').split(' ');
if (!PORT || !secrets.every((each) => each.startsWith('whsec_')))
  throw new Error('Set PORT, and WEBHOOK_SECRET to the secret of your endpoint');
const read = (name) => (existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`, 'utf8') : '');
const processed = new Set(read('processed').split('\n'));
function processOnce({ id, type, data }) {
  if (type === 'ping' || processed.has(id)) return;
  if (type === 'contribution.completed') console.log('completed', data.transaction_id);
  processed.add(id);
  appendFileSync(`${folder}/processed`, `${id}\n`);
}
let position = Number(read('position') || (await send('GET', '/events?limit=1')).last_sequence);
async function catchUp() {
  try {
    for (let hasMore = true; hasMore;) {
      const page = await send('GET', `/events?after=${position}`);
      for (const event of page.data) processOnce(event);
      [position, hasMore] = [page.next_after, page.has_more];
      writeFileSync(`${folder}/position`, String(position));
    }
  } catch (error) {
    // Deliveries continue, and the next run reads from the same position.
    console.error('The feed was not read.', error.message);
  }
  setTimeout(catchUp, 600_000);
}
await catchUp();
function isSigned(headers, body) {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
  // Also false if the header is missing.
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return false;
  const given = String(headers['webhook-signature'])
    .split(' ')
    .map((text) => Buffer.from(text));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    const expected = Buffer.from(`v1,${hmac}`);
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
}
createServer((request, response) => {
  const parts = [];
  let bytes = 0;
  request.on('data', (part) => {
    bytes += part.length;
    // Anybody can send to a public URL. No webhook is larger than 64 KiB.
    if (bytes > 65_536) request.destroy();
    else parts.push(part);
  });
  request.on('end', () => {
    const body = Buffer.concat(parts);
    const event = isSigned(request.headers, body) ? JSON.parse(body.toString()) : undefined;
    const isMine = event?.environment === 'test';
    if (event && isMine) processOnce(event);
    response.writeHead(isMine ? 204 : 400).end();
  });
}).listen(Number(PORT), () => console.log('listening on', PORT));
