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
const task = JSON.parse(process.env['CONFORM_TASK'] ?? '{"task": "list_projects"}');
const { response: first } = await sendOnce('GET', '/get/projects?limit=1');
if (first.headers.get('Environment') !== 'test') throw new Error('This is not the test environment');
if (task.task === 'create') {
  const { order_id: key, project_id, amount, user_hash } = task;
  const order = { project_id, amount, user_hash };
  await send('PUT', '/contributions/create', order, { 'Idempotency-Key': key });
} else if (task.task === 'show_component') {
  await send('GET', `/projects-stories?${new URLSearchParams({ user_hash: task.user_hash })}`);
} else {
  let cursor = null;
  do {
    const query = new URLSearchParams(cursor === null ? {} : { cursor });
    const page = await send('GET', `/get/projects?${query}`);
    cursor = page.next_cursor;
  } while (cursor !== null);
}
console.log(task.task, 'done');
