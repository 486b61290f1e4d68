import type { Response, Test } from 'supertest';

import type { EndpointContract } from '../../../src/http/contract';
import type { Client } from '../client';
import { askAsFile } from '../completion-files';
import { recentDays } from '../totals';
import { readingEnded, statementFile, upload, type UploadedFile } from '../statement-files';
import type { Action } from './rules';
import { keyedContribution, type World } from './worlds';

/** One way to request a world's data from an operation. */
export interface Question {
  what: string;
  /** Filters by a value that only the owner knows: a user or an idempotency key. */
  isPersonal?: true;
  ask: (client: Client) => PromiseLike<Response>;
}

type Ask = (world: World, contract: EndpointContract, transactionId: string) => Question[];

let uploads = 0;

const inQuery = (world: World): string => encodeURIComponent(world.userHash);

function addressOf(contract: EndpointContract, world: World, transactionId: string): string {
  return contract.path
    .replace('{transaction_id}', transactionId)
    .replace('{project_id}', String(world.projectId))
    .replace('{return_id}', world.returnId)
    .replace('{event_id}', world.eventId)
    .replace('{endpoint_id}', world.endpointIds[0] ?? '')
    .replace('{replay_id}', world.replayId)
    .replace('{file_id}', world.fileId)
    .replace('{account_id}', world.accountId)
    .replace('{other_account_id}', world.otherAccountId)
    .replace('{day}', '2026-11-20')
    .replace('{month}', '2026-11')
    .replace('{entry_id}', world.entryId)
    .replace('{story_id}', String(world.storyId));
}

/** A create in each media type that the operation accepts. */
function inEachMedia(
  { method, body }: EndpointContract,
  address: string,
  contribution: Record<string, string | number>,
  idempotencyKey?: string,
): Question[] {
  const send = (client: Client, json?: object): Test => {
    const test = client[method === 'post' ? 'post' : 'put'](address, json);
    return idempotencyKey === undefined ? test : test.set('Idempotency-Key', idempotencyKey);
  };
  const json: Question = { what: 'as JSON', ask: (client) => send(client, contribution) };
  const form: Question = { what: 'as a form', ask: (client) => send(client).field(contribution) };
  return body?.accepts.includes('multipart') ? [json, form] : [json];
}

const questionsOf: Record<Action, Ask> = {
  'reads the catalogue': (world, contract, id) => [
    {
      what: 'for its user',
      isPersonal: true,
      ask: (client) => client.get(`${addressOf(contract, world, id)}?user_hash=${inQuery(world)}`),
    },
  ],
  'notes a view': (world, contract, id) => [
    {
      what: 'of its user',
      ask: (client) => client.put(addressOf(contract, world, id), { user_hash: world.userHash }),
    },
  ],
  creates: (world, contract, id) =>
    inEachMedia(contract, addressOf(contract, world, id), {
      project_id: world.projectId,
      amount: '1.00',
      user_hash: 'a-hash-of-no-world',
    }),
  'repeats a create': (world, contract, id) =>
    inEachMedia(contract, addressOf(contract, world, id), keyedContribution(world), world.idempotencyKey),
  completes: (world, contract, id) =>
    contract.upload
      ? [
          { what: 'its transaction, in a file', ask: (client) => askAsFile(client, id, '40.00') },
          { what: 'its transaction again, in a file', ask: (client) => askAsFile(client, id, '40.00') },
        ]
      : [
          {
            what: 'its transaction, with evidence',
            ask: (client) =>
              client.put(addressOf(contract, world, id), { status: 'completed', amount: '40.00' }),
          },
          {
            what: 'its transaction again',
            ask: (client) => client.put(addressOf(contract, world, id), { status: 'completed' }),
          },
        ],
  'reads one': (world, contract, id) => [
    { what: 'its transaction', ask: (client) => client.get(addressOf(contract, world, id)) },
    {
      what: 'its transaction in another spelling',
      ask: (client) =>
        client.get(addressOf(contract, world, `${id.slice(0, 5).toLowerCase()}-${id.slice(5)}`)),
    },
  ],
  'reads its requests': (_world, { path }) => [
    { what: 'all', ask: (client) => client.get(`${path}?limit=1000`) },
  ],
  'reads its settings': (_world, { path }) => [{ what: 'all', ask: (client) => client.get(path) }],
  // Changes nothing: an environment with a link has this setting already.
  'chooses a linked bank': (_world, { path }) => [
    { what: 'all', ask: (client) => client.put(path, { bank: 'linked', settle_after_seconds: 3_600 }) },
  ],
  settles: (world, contract, id) => [
    {
      what: 'its transaction',
      ask: (client) => client.post(addressOf(contract, world, id), { amount: '40.00' }),
    },
  ],
  // A delay of 0 changes no response.
  'arms faults': (_world, { path }) => [
    {
      what: 'for one operation',
      ask: (client) => client.post(path, { operation: 'makeOrder', kind: 'delay', delay_ms: 0 }),
    },
  ],
  'resets wrongly': (_world, { path }) => [
    { what: 'with a wrong seed', ask: (client) => client.post(path, { seed: 'none' }) },
  ],
  'removes faults': (_world, { path }) => [{ what: 'all', ask: (client) => client.delete(path) }],
  returns: (world, contract, id) => {
    // A pending transaction has no returns.
    const [completed = ''] = world.transactionIds;
    const address = addressOf(contract, world, world.transactionIds.includes(id) ? completed : id);
    const body = {
      kind: 'refund',
      reason: 'paid_again',
      amount: '0.50',
      bank_reference: world.bankReference,
    };
    return [
      { what: 'its transaction', ask: (client) => client.post(address, body) },
      { what: 'its transaction again', ask: (client) => client.post(address, body) },
      {
        what: 'its transaction, with another reference',
        ask: (client) => client.post(address, { ...body, bank_reference: `another ${contract.operationId}` }),
      },
    ];
  },
  corrects: (world, contract, id) => {
    const address = addressOf(contract, world, world.transactionIds.includes(id) ? world.correctableId : id);
    return ['its completion', 'its completion again'].map((what) => ({
      what,
      ask: (client) => client.post(address, { reason: 'wrong contribution' }),
    }));
  },
  'lists events': (world, { path }) => [
    { what: 'all', ask: (client) => client.get(`${path}?limit=1000`) },
    {
      what: 'of its transaction',
      ask: (client) => client.get(`${path}?transaction_id=${world.transactionIds[0] ?? ''}`),
    },
  ],
  'reads an event': (world, contract, id) => [
    { what: 'its first', ask: (client) => client.get(addressOf(contract, world, id)) },
  ],
  'adds up': (_world, { path }) =>
    ['day', 'project', 'company', 'status'].map((by) => ({
      what: `by ${by}`,
      ask: (client) => client.get(`${path}?${recentDays()}&by=${by}`),
    })),
  'lists endpoints': (_world, { path }) => [{ what: 'all', ask: (client) => client.get(path) }],
  'creates an endpoint wrongly': (_world, { path }) => [
    { what: 'with a wrong URL', ask: (client) => client.post(path, { url: 'ftp://app.example.com' }) },
  ],
  'uses an endpoint': (world, contract, id) => {
    const { method, body } = contract;
    const address = addressOf(contract, world, id);
    return [
      { what: 'its first', ask: (client) => client[method](address, body && { ...Object(body.example) }) },
    ];
  },
  'uses deliveries': (world, contract, id) => [
    {
      what: 'of its first endpoint',
      // Only a replay has a body. With `dry_run`, it sends nothing.
      ask: (client) =>
        client[contract.method](
          addressOf(contract, world, id),
          contract.body && { from_sequence: 1, dry_run: true },
        ),
    },
  ],
  'reads a replay': (world, contract, id) => [
    { what: 'its first', ask: (client) => client[contract.method](addressOf(contract, world, id)) },
  ],
  'deletes an endpoint': (world, { path }) => [
    {
      what: 'its last',
      async ask(client) {
        const response = await client.delete(path.replace('{endpoint_id}', world.endpointIds.at(-1)!));
        if (response.status === 204) world.endpointIds.pop();
        return response;
      },
    },
  ],
  'uploads a statement': (world) => [
    {
      what: 'that names its transaction',
      async ask(client) {
        const { transactionIds, bankReference } = world;
        const lines = [transactionIds[0] ?? '', bankReference].map((id) => ({ cents: 40_00n, id }));
        const response = await upload(client, statementFile(lines, { sequence: (uploads += 1) }));
        // The reading that follows an upload counts as part of this cell.
        if (response.status === 202) await readingEnded(client, (response.body as UploadedFile).file_id);
        return response;
      },
    },
  ],
  'lists settlements': (world, { path }) => [
    {
      what: 'of its transaction',
      ask: (client) => {
        const line = {
          reference: `S-${(uploads += 1)}`,
          transaction_id: world.transactionIds[0],
          amount: '40.00',
        };
        return client.post(path).set('Content-Type', 'application/x-ndjson').send(JSON.stringify(line));
      },
    },
  ],
  'asks who it is': (_world, { path }) => [{ what: 'all', ask: (client) => client.get(path) }],
  'lists its statements': (world, contract, id) => {
    const query = contract.operationId === 'canCloseMonth' ? '?month=2026-11' : '';
    return [{ what: 'all', ask: (client) => client.get(`${addressOf(contract, world, id)}${query}`) }];
  },
  'reads a statement': (world, contract, id) => [
    { what: 'its file', ask: (client) => client.get(addressOf(contract, world, id)) },
  ],
  'voids a statement': (world, contract, id) => [
    {
      what: 'its file',
      ask: (client) => client.post(addressOf(contract, world, id), { reason: 'of the test' }),
    },
  ],
  'uses an account': (world, contract, id) => {
    const address = addressOf(contract, world, id);
    const body =
      contract.operationId === 'setAccountRule' ? contract.body?.example : { complete_coverage: true };
    return [
      {
        what: 'of its file',
        ask: (client) =>
          contract.method === 'get'
            ? client.get(contract.query ? `${address}?${recentDays()}` : address)
            : client.put(address, { ...Object(body) }),
      },
    ];
  },
  'answers nothing': (world, contract, id) => [
    {
      what: 'of its account',
      ask: (client) =>
        client.post(
          addressOf(contract, world, id),
          contract.operationId === 'addAccountNumber'
            ? { other_account_id: world.otherAccountId, reason: 'known' }
            : { kind: 'undo', reason: 'known' },
        ),
    },
  ],
  'changes a future month': (_world, { path }) => [
    {
      what: 'of the future',
      ask: (client) => client.post(path.replace('{month}', '2999-11'), { reason: 'known' }),
    },
  ],
  'takes a number back': (world, contract, id) => [
    { what: 'of its account', ask: (client) => client.delete(addressOf(contract, world, id)) },
  ],
  'decides on entries': (world, { path }) => [
    {
      what: 'of its file',
      ask: (client) =>
        client.post(path, { decisions: [{ entry_id: world.entryId, action: 'ignore', reason: 'known' }] }),
    },
  ],
  'uses an entry': (world, contract, id) => [
    {
      what: 'of its file',
      ask: (client) =>
        contract.method === 'get'
          ? client.get(addressOf(contract, world, id))
          : client.post(addressOf(contract, world, id), { action: 'ignore', reason: 'known' }),
    },
  ],
  'reads its money': (world, contract, id) => [
    { what: 'of its transaction', ask: (client) => client.get(addressOf(contract, world, id)) },
  ],
  'lists links': (_world, { path }) => [{ what: 'all', ask: (client) => client.get(`${path}?limit=1000`) }],
  lists: (world, { path }) => [
    { what: 'all', ask: (client) => client.get(`${path}?limit=1000`) },
    {
      what: 'of its company',
      ask: (client) => client.get(`${path}?company_id=${world.companyId}`),
    },
    { what: 'of its project', ask: (client) => client.get(`${path}?project_id=${world.projectId}`) },
    { what: 'from its cursor on', ask: (client) => client.get(`${path}?cursor=${world.cursor}`) },
    {
      what: 'completed ones',
      ask: (client) => client.get(`${path}?completed_from=2026-01-01T00:00:00Z`),
    },
    {
      what: 'of its user',
      isPersonal: true,
      ask: (client) => client.get(`${path}?user_hash=${inQuery(world)}`),
    },
    {
      what: 'under its idempotency key',
      isPersonal: true,
      ask: (client) => client.get(`${path}?idempotency_key=${encodeURIComponent(world.idempotencyKey)}`),
    },
  ],
};

/**
 * Every way to request a world's data from an operation.
 *
 * @param transactionId of the world, or one that was never issued
 */
export function questions(
  world: World,
  contract: EndpointContract,
  action: Action,
  transactionId: string,
): Question[] {
  return questionsOf[action](world, contract, transactionId);
}
