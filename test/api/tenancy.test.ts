import type { Response, Test } from 'supertest';

import { listContracts } from '../../src/contracts';
import type { EndpointContract } from '../../src/http/contract';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { scopes } from '../support/scopes';

/** No environment can see, find or change the data of another. */
let service: TestService;
let projectId: number;
let owner: TestCompany;
let transactionId: string;

const contributions = '/company/integration/contributions';
const contracts = listContracts({ minimumCents: 1n, maximumCents: 100_000_000n });
const withTransactionId = contracts.filter(({ path }) => path.includes('{transaction_id}'));

async function createPending(client: Client): Promise<string> {
  const response = await client
    .put(`${contributions}/create`, {
      project_id: projectId,
      amount: '25.50',
      user_hash: 'user==',
      name: 'Amelia',
    })
    .expect(201);
  return response.body.transaction_id as string;
}

/** A request for one transaction, for each operation that takes an id. */
function ask(
  client: Client,
  { method, path, body }: EndpointContract,
  id: string,
  evidence: object = {},
): Test {
  const address = path
    .replace('{transaction_id}', id)
    .replace('{return_id}', '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b');
  if (!body) return client[method](address);
  const valid = path.includes('/returns')
    ? { kind: 'return', reason: 'paid_again', amount: '25.50', bank_reference: 'RT-1' }
    : { status: 'completed', reason: 'wrong contribution' };
  return client[method](address, { ...valid, ...evidence });
}

/** A response without the parts that differ per request. */
function comparable(response: Response): unknown {
  const requestId = (response.body as { request_id: string }).request_id;
  const headers = Object.entries(response.headers as Record<string, string>).filter(
    ([name]) => !['date', 'x-request-id'].includes(name),
  );
  return { status: response.status, headers, text: response.text.replace(requestId, '') };
}

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
  owner = await service.addCompany();
  transactionId = await createPending(owner.test);
});

afterAll(() => service.stop());

test('the operations that take a transaction id include the known ones', () => {
  const known = [
    'completeContribution',
    'correctContribution',
    'getContribution',
    'getContributionMoney',
    'recordReturn',
    'settleSandboxContribution',
    'undoReturn',
  ];
  expect(withTransactionId.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(known));
});

describe.each(
  withTransactionId.map((contract): [string, EndpointContract] => [contract.operationId, contract]),
)('%s', (_operationId, contract) => {
  const strangers: [string, () => Promise<Client>][] = [
    ['another company', async () => (await service.addCompany()).test],
    ["another company's production", async () => (await service.addCompany()).production],
    ['the other environment of the same company', () => Promise.resolve(owner.production)],
    [
      'a bank that was unlinked before',
      async () => {
        const bank = await service.addCompany();
        const company = await service.addCompany();
        await service.companies.linkBank('test', company.name, bank.name);
        await service.companies.unlinkBank('test', company.name, bank.name);
        return bank.test;
      },
    ],
    [
      'a bank of this company in the other environment only',
      async () => {
        const bank = await service.addCompany();
        await service.companies.linkBank('production', owner.name, bank.name);
        return bank.test;
      },
    ],
  ];

  test.each(strangers)('%s gets the same bytes as for an id that was never issued', async (_who, find) => {
    const client = await find();
    const { environment } = (await client.get(contributions).expect(200)).headers;
    const isOutsideSandbox = contract.scope === 'sandbox' && environment === 'production';
    const [status, code] = isOutsideSandbox ? [403, 'sandbox_only'] : [404, 'transaction_not_found'];
    const evidence = [{}, { amount: '25.50' }, { amount: '1.00', bank_reference: 'FT-1' }];
    for (const said of evidence) {
      const theirs = await ask(client, contract, transactionId, said).expect(status);
      expect(theirs.body.code).toBe(code);

      const ownTag = (await createPending(client)).slice(0, 4);
      for (const tag of [ownTag, transactionId.slice(0, 4), 'Z'.repeat(4)]) {
        const neverIssued = generateTransactionId(tag, new Date());
        const response = await ask(client, contract, neverIssued, said).expect(status);
        expect(comparable(response)).toEqual(comparable(theirs));
      }
    }
  });

  test('afterwards the transaction is unchanged, and no event mentions another company', async () => {
    const read = await owner.test.get(`${contributions}/${transactionId}`).expect(200);
    expect(read.body).toMatchObject({ status: 'pending', bank_reference: null });
    const { rows } = await service.database.admin.query('SELECT type FROM events WHERE transaction_id = $1', [
      transactionId,
    ]);
    expect(rows).toEqual([{ type: 'contribution.created' }]);
  });
});

describe('a restricted key pair', () => {
  const without = new Map<string, Client>();

  beforeAll(async () => {
    for (const missing of scopes) {
      const pair = await service.addPair(
        owner,
        'test',
        scopes.filter((scope) => scope !== missing),
      );
      without.set(missing, pair);
    }
  });

  /** A path of the operation. Its ids may be valid, unknown or malformed. */
  const paths = ({ path }: EndpointContract): string[] =>
    [String(projectId), '999999999', 'nonsense'].map((other, index) =>
      path
        .replace(
          '{transaction_id}',
          [transactionId, generateTransactionId('Z000', new Date()), 'nonsense'][index]!,
        )
        .replace(/\{\w+\}/, other),
    );

  const scoped = contracts.flatMap((contract) => {
    const { scope } = contract;
    return scope === null ? [] : [[contract.operationId, contract, scope] as const];
  });

  test('there is at least one operation for each scope', () => {
    expect(new Set(scoped.map(([, , scope]) => scope))).toEqual(new Set(scopes));
  });

  test.each(scoped)(
    'without the scope of %s is rejected with 403 scope_missing, whatever the id and the body',
    async (_operationId, contract, scope) => {
      const client = without.get(scope)!;
      const responses: Response[] = [];
      for (const path of paths(contract)) {
        const bodies = contract.body
          ? [{}, { status: 'completed', project_id: projectId, user_hash: 'u' }]
          : [undefined];
        for (const body of bodies) responses.push(await client[contract.method](path, body).expect(403));
      }

      expect(responses[0]!.body).toMatchObject({
        code: 'scope_missing',
        retryable: false,
        detail: expect.stringContaining(scope),
      });
      for (const response of responses) expect(comparable(response)).toEqual(comparable(responses[0]!));
    },
  );

  test.each(scoped)('with only the scope of %s may use it', async (_operationId, contract, scope) => {
    const client = await service.addPair(await service.addCompany(), 'test', [scope]);
    const response = await client[contract.method](
      paths(contract)[0]!,
      contract.body ? { status: 'completed' } : undefined,
    );
    expect(response.status).not.toBe(403);
    expect(response.status).not.toBe(401);
  });
});

test("one company's contributions do not affect another company's view of the same user", async () => {
  const [first, second] = [await service.addCompany(), await service.addCompany()];
  const id = await createPending(first.test);
  await first.test.put(`${contributions}/${id}`, { status: 'completed' }).expect(200);

  const supported = async (client: Client): Promise<unknown> => {
    const response = await client
      .get('/company/integration/projects-stories?user_hash=user%3D%3D')
      .expect(200);
    return (response.body.data as { is_supported: boolean }[])[0]?.is_supported;
  };
  expect(await supported(first.test)).toBe(true);
  expect(await supported(first.production)).toBe(false);
  expect(await supported(second.test)).toBe(false);
});
