import type { Random } from '../faults/random';
import { type Caller, type Command } from './commands/command';
import { issue } from './commands/key-pairs';
import type { Mark } from './commands/list';
import { differences, isAsInModel, readContents } from './database-check';
import { total } from './commands/total';
import { createExchanges } from './exchanges';
import { createAudiences, differencesOfFeeds, relayAndCount } from './feed-check';
import { addLink, livePairs, type Model } from './model';
import type { Principal } from './principals';
import { settleRevocation } from './revocation';
import { createServiceUnderTest, type Shared } from './service-under-test';
import { createTenants, type Tenants } from './tenants';

/** One running sequence: its tenants and the possible states of the world. */
export interface Play {
  readonly shared: Shared;
  readonly tenants: Tenants;
  readonly marks: readonly Mark[];
  /** Numbers for new keys and references. */
  next(): number;
  /** The current state of the world according to the responses. */
  belief(): Model;
  /**
   * Runs commands concurrently and compares the responses with the model.
   *
   * @param delaysMs the delay before each is sent
   * @returns whether the given order explains the responses
   * @throws Error with the transcript when no order explains the responses
   */
  perform(commands: readonly Command[], delaysMs?: readonly number[]): Promise<boolean>;
  /** A principal with one of its live key pairs; one is issued if there is none. */
  caller(principal: Principal, random: Random): Promise<Caller>;
  /** A principal with any key pair that it has had, live or not. */
  callerWith(principal: Principal, apiKey: string): Caller;
  /** Stores the current time, for later filters by time. */
  mark(): Promise<Mark>;
  /**
   * Compares the database with the model.
   *
   * @throws Error with the differences
   */
  checkDatabase(): Promise<void>;
  /**
   * Compares the feeds and the totals with the model, after all events are relayed and counted.
   *
   * @throws Error with the differences
   */
  checkFeedsAndTotals(random: Random): Promise<void>;
}

/** Starts a sequence with separate companies. Key pairs are issued when they are first needed. */
export async function startPlay(shared: Shared): Promise<Play> {
  const tenants = await createTenants(shared);
  const service = createServiceUnderTest(shared, tenants);
  const exchanges = createExchanges(service);
  const marks: Mark[] = [];
  const audiences = createAudiences();
  let count = 0;

  const belief = (): Model => exchanges.beliefs()[0]!;
  const callerWith = (principal: Principal, apiKey: string): Caller => ({
    principal,
    pair: exchanges.pair(apiKey),
  });

  async function perform(commands: readonly Command[], delaysMs?: readonly number[]): Promise<boolean> {
    const isInOrder = await exchanges.send(commands, delaysMs);
    const respondedAt = performance.now();
    for (const [apiKey, { state, principal }] of belief().pairs) {
      if (state === 'settling')
        await settleRevocation(service, exchanges, callerWith(principal, apiKey), respondedAt);
    }
    // If responses to concurrent commands leave the order open, the database decides.
    if (exchanges.beliefs().length > 1) await checkDatabase();
    audiences.note(belief(), commands.length === 1);
    return isInOrder;
  }

  async function checkDatabase(): Promise<void> {
    const times = marks.map(({ time }) => time);
    const contents = await readContents(shared.admin, tenants, times, exchanges.beliefs());
    const right = exchanges.beliefs().filter((model) => isAsInModel(contents, model));
    if (right.length === 0)
      throw exchanges.failure(`the database is not as in the model:\n${differences(contents, belief())}`);
    exchanges.keep(right);
  }

  async function caller(principal: Principal, random: Random): Promise<Caller> {
    if (livePairs(belief(), principal).length === 0) await perform([issue(principal)]);
    return callerWith(principal, random.pick(livePairs(belief(), principal)));
  }

  async function checkFeedsAndTotals(random: Random): Promise<void> {
    await relayAndCount(shared.admin, tenants);
    const wrong = await differencesOfFeeds(shared.admin, tenants, belief(), audiences);
    if (wrong.length > 0) throw exchanges.failure(`the feeds are not as in the model:\n${wrong.join('\n')}`);
    for (const principal of ['owner', 'bank', 'second'] as const)
      for (const basis of ['created', 'completed'] as const)
        await perform([total(await caller(principal, random), basis)]);
  }

  async function mark(): Promise<Mark> {
    const { rows } = await shared.admin.query<{ time: string }>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time`,
    );
    const noted = { number: marks.length + 1, time: rows[0]!.time };
    marks.push(noted);
    for (const model of exchanges.beliefs()) model.marks = noted.number;
    return noted;
  }

  // The stranger is a bank too, but not the owner's.
  await service.link('bank', 'stranger');
  addLink(belief(), 'bank', 'stranger');
  await mark();

  return {
    shared,
    tenants,
    marks,
    next: () => (count += 1),
    belief,
    perform,
    caller,
    callerWith,
    mark,
    checkDatabase,
    checkFeedsAndTotals,
  };
}
