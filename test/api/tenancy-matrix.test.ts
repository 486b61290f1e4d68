import { isDeepStrictEqual } from 'node:util';

import type { Response } from 'supertest';

import { listContracts } from '../../src/contracts';
import type { EndpointContract } from '../../src/http/contract';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { compareRelayed } from '../support/compare-all';
import { comparableResponse } from '../support/comparable-response';
import { isFullRun } from '../support/full-run';
import { periodicQueries } from '../support/periodic-queries';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestService } from '../support/service';
import { type Caller, createCallers } from '../support/tenancy/callers';
import { changed, fingerprints } from '../support/tenancy/fingerprints';
import { questions } from '../support/tenancy/requests';
import {
  type CallerName,
  callerNames,
  type Action,
  actions,
  actionsOfOperation,
  expectationOf,
  type Expectation,
  refusedCallers,
} from '../support/tenancy/rules';
import { cellTable } from '../support/tenancy/table';
import { expectedTraces, forbiddenTraces, missingTraces } from '../support/tenancy/traces';

/**
 * Every caller requests one company's data from every operation: each cell of the rule table
 * (test/support/tenancy/rules.ts) on the real service. The outcomes are printed as a table at the
 * end.
 */
const contracts = listContracts({ minimumCents: 1n, maximumCents: 100_000_000n });

interface Cell {
  caller: CallerName;
  contract: EndpointContract;
  action: Action;
}

/**
 * In `npm test`, one invalid pair asks each operation, a different one in turn: the rejection comes
 * before the operation.
 */
function isInThisRun(caller: CallerName, contract: EndpointContract): boolean {
  const turn = refusedCallers.indexOf(caller);
  return isFullRun || turn < 0 || contracts.indexOf(contract) % refusedCallers.length === turn;
}

// Creates come last, because afterwards another company may have a user with the same hash.
const cells = callerNames.flatMap((caller) =>
  actions.flatMap((action) =>
    contracts
      .filter((contract) => isInThisRun(caller, contract))
      .filter((contract) => actionsOfOperation(contract).includes(action))
      .map((contract): [string, Cell] => [
        `${caller}: ${contract.operationId} ${action}: ${expectationOf(caller, action)}`,
        { caller, contract, action },
      ]),
  ),
);

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let callers: Record<CallerName, Caller>;
/** Outcomes by caller, then by operation. */
const outcomesByCaller = new Map<CallerName, Map<string, Expectation[]>>();
/** The data after the cell before. */
let latest: Map<number, string>;
/** Responses to invalid key pairs, by expectation. */
const refusals = new Map<Expectation, unknown[]>();

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  // The log shows each caller the ids of its own requests, which would look like leaks here.
  const settings = { SANDBOX_REQUEST_LOG: 'off' };
  // Background work waits for the end of a cell.
  service = await startService({ database, databaseUrl: proxy.url, settings, pollMs: 3_600_000 });
  callers = await createCallers(service);
  // After a minute, the service counts open positions with statements that requests use too.
  await database.admin.query(`UPDATE comparing_progress SET positions_due_at = 'infinity'`);
  await compareRelayed(service);
  latest = await fingerprints(database.admin);
});

afterAll(async () => {
  process.stdout.write(`\n${cellTable(outcomesByCaller)}\n`);
  await service.stop();
  await proxy.stop();
  await database.drop();
});

const outcomeOf = ({ status, body }: Response): Expectation =>
  status < 400 ? String(status) : `${status} ${(body as { code: string }).code}`;

const isSuccess = (expectation: Expectation): boolean => expectation.startsWith('2');

/** This error is recorded as an event. */
const isRecorded = (expectation: Expectation): boolean => expectation === '409 completed_by_another';

/**
 * Where a cell may change data: a create at its caller, a completion, a return or a correction at
 * the transaction's owner.
 */
function mayChange({ action, caller }: Cell): number[] {
  const expectation = expectationOf(caller, action);
  if (!isSuccess(expectation) && !isRecorded(expectation)) return [];
  const { world, environmentId } = callers[caller];
  if (action === 'completes' || action === 'settles' || action === 'returns' || action === 'corrects')
    return [world.environmentId];
  if (action === 'uses an endpoint' || action === 'deletes an endpoint') return [world.environmentId];
  const writes =
    action === 'uses an account' ||
    action === 'uploads a statement' ||
    action === 'lists settlements' ||
    action === 'uses an entry' ||
    action === 'decides on entries' ||
    action === 'voids a statement' ||
    action === 'notes a view' ||
    action === 'creates' ||
    action === 'repeats a create';
  return writes && environmentId !== undefined ? [environmentId] : [];
}

/** Sends the request and returns the statements that the service ran for it. */
async function watched(ask: () => PromiseLike<Response>): Promise<[Response, string[]]> {
  const before = proxy.roundTrips().length;
  const response = await ask();
  const statements = proxy.roundTrips().slice(before);
  // Reading a key pair is not part of the request either.
  const isApart = (name: string) => periodicQueries.test(name) || /^find_(un)?known_key_pair$/.test(name);
  return [response, statements.filter((name) => !isApart(name))];
}

describe.each(cells)('%s', (_name, cell) => {
  const { caller: callerName, contract, action } = cell;
  const expectation = expectationOf(callerName, action);

  test("matches the rule table, without another company's data in the response or the database", async () => {
    const { world, visibility, clientFor } = callers[callerName];
    const client = clientFor(contract);
    const completes = (action === 'completes' || action === 'settles') && isSuccess(expectation);
    const id = completes ? world.takePending() : world.showPending();
    const responses: Response[] = [];
    for (const { what, isPersonal, ask } of questions(world, contract, action, id)) {
      const response = await ask(client);
      responses.push(response);
      const outcomes = outcomesByCaller.get(callerName) ?? new Map<string, Expectation[]>();
      outcomesByCaller.set(callerName, outcomes);
      outcomes.set(contract.operationId, [
        ...(outcomes.get(contract.operationId) ?? []),
        outcomeOf(response),
      ]);
      expect([what, outcomeOf(response)]).toEqual([what, expectation]);
      expect(forbiddenTraces(response, world, visibility, action, isPersonal === true)).toEqual([]);
      if (expectation.startsWith('401')) {
        refusals.set(expectation, [...(refusals.get(expectation) ?? []), comparableResponse(response)]);
      }
    }
    const allowed = mayChange(cell);
    // What follows in the background counts as part of this cell.
    if (allowed.length > 0) await compareRelayed(service);
    const before = latest;
    latest = await fingerprints(database.admin);
    const differing = changed(before, latest);
    expect(differing.filter((environmentId) => !allowed.includes(environmentId))).toEqual([]);
    if (completes || isRecorded(expectation)) expect(differing).toEqual([world.environmentId]);
    if (isSuccess(expectation)) {
      expect(
        missingTraces(responses, expectedTraces(world, visibility, action, contract.operationId, id)),
      ).toEqual([]);
    }
  });

  if (expectation !== '404 transaction_not_found') return;

  test('gets the same bytes by the same statements as for an id that was never issued', async () => {
    const { world, clientFor } = callers[callerName];
    const client = clientFor(contract);
    const theirs = world.showPending();
    const never = generateTransactionId(theirs.slice(0, 4), new Date());
    const ofNever = questions(world, contract, action, never);
    // The key pair is cached.
    await ofNever[0]!.ask(client);
    for (const [index, { ask }] of questions(world, contract, action, theirs).entries()) {
      // Background work can run a statement meanwhile, but not each time.
      for (let left = 4; left >= 0; left -= 1) {
        const [foreign, foreignStatements] = await watched(() => ask(client));
        const [unknown, unknownStatements] = await watched(() => ofNever[index]!.ask(client));
        expect(comparableResponse(foreign)).toEqual(comparableResponse(unknown));
        // The environment of a test tag is not cached, because a reset changes it.
        const own = foreignStatements.filter((name) => name !== 'find_environment_by_tag');
        const isSame = own.length === 1 && isDeepStrictEqual(foreignStatements, unknownStatements);
        if (!isSame && left > 0) continue;
        expect(own).toHaveLength(1);
        expect(foreignStatements).toEqual(unknownStatements);
        break;
      }
    }
  });
});

test('every invalid key pair is rejected with the same bytes, for every operation', () => {
  const invalid = refusals.get('401 credentials_invalid') ?? [];
  const asking = cells.filter(
    ([, { caller, action }]) => expectationOf(caller, action) === '401 credentials_invalid',
  );
  expect(invalid.length).toBeGreaterThanOrEqual(asking.length);
  expect(new Set(asking.map(([, { caller }]) => caller)).size).toBe(7);
  for (const response of invalid) expect(response).toEqual(invalid[0]);
});

test('an operation that is missing in the rule table fails', () => {
  for (const [method, path] of [
    ['get', '/company/integration/new'],
    ['post', '/company/integration/contributions/{transaction_id}/new'],
  ] as const)
    expect(() => actionsOfOperation({ operationId: 'anOperationThatIsNew', method, path })).toThrow(
      'rules.ts',
    );
});
