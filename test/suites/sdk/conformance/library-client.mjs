// A host that leaves retries to a library, with the library's defaults: LIBRARY is undici
// (RetryAgent) or axios (axios-retry). It uses the order as the key, and checks the environment.
import axios from 'axios';
import axiosRetry from 'axios-retry';
import { Agent, request, RetryAgent } from 'undici';

const { CONFORM_TASK, LIBRARY } = process.env;
const { CONTRIBUTION_API_URL: base, CONTRIBUTION_API_KEY, CONTRIBUTION_API_SECRET } = process.env;
const { task, order_id: key, ...values } = JSON.parse(CONFORM_TASK);
const credentials = { 'API-Key': CONTRIBUTION_API_KEY, 'API-Secret': CONTRIBUTION_API_SECRET };

const dispatcher = new RetryAgent(new Agent());
async function withUndici(method, url, body, headers) {
  const response = await request(url, {
    method,
    headers: { ...credentials, ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
    dispatcher,
  });
  const content = await response.body.json();
  if (response.statusCode >= 300) throw new Error(`status ${response.statusCode}`);
  return { environment: response.headers['environment'], content };
}

const client = axios.create({ headers: credentials, timeout: 15_000 });
axiosRetry(client);
async function withAxios(method, url, data, headers) {
  const response = await client.request({ method, url, data, headers });
  return { environment: response.headers['environment'], content: response.data };
}

async function send(method, path, body, headers = {}) {
  const { environment, content } = await { undici: withUndici, axios: withAxios }[LIBRARY](
    method,
    base + path,
    body,
    headers,
  );
  if (environment !== 'test') throw new Error('wrong environment');
  return content;
}

if (task === 'create') await send('PUT', '/contributions/create', values, { 'Idempotency-Key': key });
if (task === 'show_component') await send('GET', `/projects-stories?${new URLSearchParams(values)}`);
if (task === 'list_projects') {
  for (let query = {}; query !== undefined;) {
    const { has_more: hasMore, next_cursor: cursor } = await send(
      'GET',
      `/get/projects?${new URLSearchParams(query)}`,
    );
    query = hasMore ? { cursor } : undefined;
  }
}
