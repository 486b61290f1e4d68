import type { Call, Exchange, KeyPair } from '../faults/clients/http';
import { checkAnswer } from '../support/client';
import type { Answer, ErrorCode, Request, View } from './actions';

const contributions = 'contributions';
const dollars = (cents: number): string => (cents / 100).toFixed(2);

/** The statuses that the guides for partners and banks promise. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  credentials_invalid: 401,
  scope_missing: 403,
  completion_reserved_for_bank: 403,
  transaction_not_found: 404,
  amount_mismatch: 409,
  idempotency_key_reused: 422,
};

/** What goes over the wire for an action. */
function callOf(action: Request, pair: KeyPair): Call {
  switch (action.kind) {
    case 'create': {
      const { project, cents, user, key } = action;
      const body = { project_id: project, amount: dollars(cents), user_hash: user };
      const headers: Record<string, string> = key === null ? {} : { 'Idempotency-Key': key };
      return { method: 'PUT', path: `${contributions}/create`, pair, body, headers };
    }
    case 'complete': {
      const amount = action.cents === null ? {} : { amount: dollars(action.cents) };
      const reference = action.reference === null ? {} : { bank_reference: action.reference };
      const body = { status: 'completed', ...amount, ...reference };
      return { method: 'PUT', path: `${contributions}/${action.id}`, pair, body };
    }
    case 'read':
      return { method: 'GET', path: `${contributions}/${action.id}`, pair };
    case 'list':
      return {
        method: 'GET',
        path: `${contributions}?${new URLSearchParams(action.filter).toString()}`,
        pair,
      };
    case 'show':
      return {
        method: 'GET',
        path: `projects-stories?${new URLSearchParams({ user_hash: action.user }).toString()}`,
        pair,
      };
  }
}

type Body = Record<string, unknown>;

function viewOf(body: Body): View {
  return {
    id: body['transaction_id'] as string,
    status: body['status'] as View['status'],
    project: body['project_id'] as number,
    amount: body['amount'] as string,
    hasCompletionTime: body['completed_at'] !== null,
    reference: body['bank_reference'] as string | null,
    own:
      'user_hash' in body
        ? { user: body['user_hash'] as string, key: body['idempotency_key'] as string | null }
        : undefined,
  };
}

type Received = NonNullable<Exchange['answer']>;

function accepted(action: Request, { status, headers, body }: Received): Answer {
  const expectedStatus = action.kind === 'create' ? 201 : 200;
  if (status !== expectedStatus) throw new Error(`${action.kind}: status ${status}, not ${expectedStatus}`);
  const isReplay = headers['idempotent-replayed'] === 'true';
  const id = body['transaction_id'] as string;
  const data = body['data'] as Body[];
  switch (action.kind) {
    case 'create':
      if (!String(headers['location']).endsWith(`/company/integration/contributions/${id}`)) {
        throw new Error(`Location of ${id} is ${String(headers['location'])}`);
      }
      return { outcome: isReplay ? 'created before' : 'created', id };
    case 'complete':
      return { outcome: isReplay ? 'completed before' : 'completed', id };
    case 'read':
      return { outcome: 'found', transaction: viewOf(body) };
    case 'list':
      if (body['has_more'] !== false) throw new Error('a sequence has more than one page of transactions');
      return { outcome: 'listed', transactions: data.map(viewOf) };
    case 'show': {
      const projects = data.map((each) => ({
        id: each['project_id'] as number,
        isSupported: each['is_supported'] as boolean,
      }));
      return { outcome: 'shown', projects };
    }
  }
}

/**
 * Sends a request and reads the answer in the model's words.
 *
 * @param createdFrom a listing leaves out what was there before the sequence
 * @throws Error when the answer is not of the documented form, or there is none
 */
export async function observe(
  send: (call: Call) => Promise<Exchange>,
  action: Request,
  pair: KeyPair,
  createdFrom: string,
): Promise<{ answer: Answer; sentAt: number; answeredAt: number }> {
  const call = callOf(action, pair);
  if (action.kind === 'list') call.path += `&created_from=${createdFrom}`;
  const { answer: received, sentAt, receivedAt: answeredAt } = await send(call);
  if (!received) throw new Error(`${call.method} ${call.path}: no answer`);
  const get = (header: string) => received.headers[header.toLowerCase()]?.toString();
  checkAnswer(call.method, `/company/integration/${call.path}`, { ...received, get });

  const kind = action.by === 'other' ? 'production' : 'test';
  if (received.status !== 401 && get('Environment') !== kind) {
    throw new Error(`Environment is ${get('Environment')}, not ${kind}`);
  }
  if (received.status < 400) return { answer: accepted(action, received), sentAt, answeredAt };
  const code = received.body['code'] as ErrorCode;
  if (received.status !== statuses[code])
    throw new Error(`${received.status} ${code} is no answer of the model`);
  return { answer: { outcome: code }, sentAt, answeredAt };
}
