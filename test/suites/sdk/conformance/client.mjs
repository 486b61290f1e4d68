// A client of the service without a library, as the conformance kit starts it. MUTANT names one
// mistake that it makes.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { monthEndTasks } from './month-end-tasks.mjs';

const { CONFORM_TASK, CONFORM_FOLDER, MUTANT = '' } = process.env;
const { CONTRIBUTION_API_URL: base, CONTRIBUTION_API_KEY, CONTRIBUTION_API_SECRET } = process.env;
const credentials = { 'API-Key': CONTRIBUTION_API_KEY, 'API-Secret': CONTRIBUTION_API_SECRET };
const task = JSON.parse(CONFORM_TASK);
const is = (mutant) => mutant === MUTANT;
const knownCodes = ['overloaded', 'rate_limited', 'database_unavailable', 'internal_error'];

class Rejected extends Error {
  constructor(status, problem) {
    super(`${status} ${problem?.code}`);
    this.status = status;
    this.problem = problem;
  }
}

/** One attempt. Throws if no complete response arrives. */
async function sendOnce(method, target, body, headers = {}) {
  const response = await fetch(base + target, {
    method,
    headers: { ...credentials, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : body && JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  });
  if (response.ok && response.headers.get('Environment') !== 'test' && !is('wrong_environment'))
    throw new Rejected(response.status, { code: 'wrong environment' });
  if (is('half_a_body') && response.status === 201) return { response, content: {} };
  const text = await response.text();
  const type = response.headers.get('Content-Type') ?? '';
  if (type.includes('x-ndjson')) return { response, content: text };
  return { response, content: type.includes('json') ? JSON.parse(text) : undefined };
}

/** Whether the mutant gives up where the client would retry. */
const givesUp = (response, problem, attempt) =>
  (is('response_lost') && task.task === 'complete' && !response) ||
  (is('statement_lost') && task.task === 'upload_statement' && !response) ||
  (is('unavailable') && problem?.code === 'overloaded') ||
  (is('rate_limited') && response?.status === 429 && attempt === 3) ||
  (is('html_502') && response?.status === 502) ||
  (is('unknown_code') && problem && !knownCodes.includes(problem.code));

async function send(method, target, body, headers = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const { response, content, error } = await sendOnce(method, target, body, headers).catch((reason) => {
      if (reason instanceof Rejected) throw reason;
      return { error: reason };
    });
    if (is('crashes') && response?.ok && attempt > 1) process.exit(1);
    if (response?.ok) return content;
    const problem = content?.code === undefined ? undefined : content;
    let mayRetry = !response || (problem ? problem.retryable : response.status >= 500);
    if (problem?.code === 'internal_error') mayRetry = is('internal_error') || attempt === 1;
    if (is('rejected') && response?.status === 409) mayRetry = true;
    if (is('mistyped_id') && response?.status === 404) mayRetry = true;
    if (is('unreadable') && problem?.code === 'statement_unreadable') mayRetry = true;
    if (is('completed_by_another') && problem?.code === 'completed_by_another') mayRetry = true;
    const isCreate = target === '/contributions/create';
    // This mistake looks up the contribution and never sends the request again.
    if (is('request_lost') && isCreate && !response) {
      const query = new URLSearchParams({ idempotency_key: headers['Idempotency-Key'] });
      const { data } = await send('GET', `/contributions?${query}`);
      if (data.length === 0) throw new Error('not recorded');
      return data[0];
    }
    // This mistake sends no key, and looks up the contribution before it sends the request again.
    if (is('key') && isCreate && (await isRecorded(body))) return { status: 'pending' };
    // This mistake takes a missing response as proof that nothing was recorded.
    if (is('response_lost') && isCreate && error?.message === 'fetch failed')
      headers['Idempotency-Key'] = randomUUID();
    if (is('new_key') && 'Idempotency-Key' in headers) headers['Idempotency-Key'] = randomUUID();
    if (is('amount_mismatch') && problem?.code === 'amount_mismatch') {
      delete body.amount;
      mayRetry = true;
    }
    if (!mayRetry || attempt === 5 || givesUp(response, problem, attempt))
      throw new Rejected(response?.status, problem);
    const seconds = Number(response?.headers.get('Retry-After')) || 0.1 * attempt;
    await delay(is('retry_after') ? 100 : seconds * 1_000);
  }
}

async function isRecorded({ user_hash: user, amount }) {
  const { data } = await send('GET', `/contributions?${new URLSearchParams({ user_hash: user })}`);
  if (data.length > 0 && data[0].amount !== amount) throw new Error('recorded with another amount');
  return data.length > 0;
}

async function create({ order_id: orderId, project_id, amount, user_hash }) {
  // This mistake stores the key only after the response.
  const keyFile = path.join(CONFORM_FOLDER, 'key');
  let key = orderId;
  if (is('killed') || is('firewall_403'))
    key = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : randomUUID();
  if (is('firewall_403')) writeFileSync(keyFile, key);
  if (is('key_reused')) key += amount;
  const headers = is('key') || is('keyless') ? {} : { 'Idempotency-Key': key };
  if (is('key') && (await isRecorded({ user_hash, amount }))) return;
  const order = { project_id, amount, user_hash };
  const { status } = await send('PUT', '/contributions/create', order, headers).catch((error) => {
    // This mistake deletes the key after any 403, even one from a firewall.
    if (is('firewall_403') && error.status === 403) rmSync(keyFile);
    throw error;
  });
  if (is('killed')) writeFileSync(keyFile, key);
  if (is('unknown_fields') && status !== 'pending') throw new Error(`unknown status ${status}`);
}

async function listAll(target, parameters, field) {
  const rows = [];
  let cursor = null;
  let page;
  do {
    const query = new URLSearchParams(cursor === null ? parameters : { ...parameters, cursor });
    page = await send('GET', `${target}?${query}`);
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && !is('pages') && !is('window_pages'));
  return field === undefined ? rows : { rows, [field]: page[field] };
}

const stateFile = path.join(CONFORM_FOLDER, 'state.json');

async function complete({ transaction_id: id, amount, bank_reference, value_date }) {
  const done = path.join(CONFORM_FOLDER, `done-${bank_reference}`);
  if (['restart', 'firewall_403', 'frozen'].some(is) && existsSync(done)) return;
  if (is('restart')) writeFileSync(done, '');
  const local = new Date(`${value_date}T00:00:00Z`);
  const two = (number) => String(number).padStart(2, '0');
  const inLocalTime = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`;
  const completion = {
    status: 'completed',
    amount,
    bank_reference: is('two_workers') ? `${bank_reference}-${process.pid}` : bank_reference,
    value_date: is('month_end') ? inLocalTime : value_date,
  };
  // This mistake has one reference for each contribution, instead of one for each transfer.
  if (is('paid_again')) completion.bank_reference = `FT-${id}`;
  const body = await send('PUT', `/contributions/${id}`, completion).catch((error) => {
    // This mistake treats a firewall's page as a decision of the service.
    if (is('firewall_403') && error.status === 403) writeFileSync(done, '');
    // This mistake gives a completion up when all its attempts got 503.
    if (is('frozen') && error.status === 503) writeFileSync(done, '');
    throw error;
  });
  if (is('unknown_fields') && Object.keys(body).length > 3) throw new Error('unknown field');
  // This mistake takes a repeat for a second payment.
  if (is('repeated_after_return') && body.net_amount === '0.00')
    await send('PUT', `/contributions/${id}`, { ...completion, bank_reference: `${bank_reference}-2` });
}

async function readWindow({ completed_from: from }) {
  const start = from ?? JSON.parse(readFileSync(stateFile, 'utf8')).until;
  const { rows, complete_until: until } = await listAll(
    '/contributions',
    { completed_from: start },
    'complete_until',
  );
  if (is('unknown_status') && rows.some(({ status }) => status !== 'completed'))
    throw new Error('unknown status');
  const latest =
    rows
      .map(({ completed_at: at }) => at)
      .sort()
      .at(-1) ?? start;
  writeFileSync(stateFile, JSON.stringify({ until: is('slow_commit') ? latest : until }));
}

const tasks = {
  ...monthEndTasks(send, is),
  create,
  complete,
  read_window: readWindow,
  list_projects: () => listAll('/get/projects', {}),
  show_component: ({ user_hash: user }) =>
    send(
      'GET',
      `/projects-stories?${is('plus_in_user_hash') ? `user_hash=${user}` : new URLSearchParams({ user_hash: user })}`,
    ),
};
await tasks[task.task](task).catch((error) => {
  if (!is('swallows')) throw error;
});
