import fc from 'fast-check';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { entryIdOf } from '../../src/features/bank-statements/days/line-outcomes';
import { createLostDecisionsStore } from '../../src/features/bank-statements/reporting/days/lost-decisions.store';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { expectEqual } from '../support/expected-days';
import { takesAllRows } from '../support/full-run';
import { StatementDays } from '../support/statement-days';
import { bankMonth, contributions, filesOf, ids, mapping } from '../unit/bank-statements/bank-months';

/** Each month has about ten files. */
const cases = takesAllRows ? 40 : 10;

let database: TestDatabase;
let pool: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createOperatorDatabase(database.url);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

const optionsOf = (content: string) => (content.startsWith('Date') ? { mapping } : {});

/** Links or ignores some of the lines, in memory and in the database. */
async function decideSome(account: DecidedAccount, memory: StatementDays, places: readonly number[]) {
  const lines = memory.lines();
  for (const key of new Set(places.flatMap((place) => lines[place % lines.length]?.key ?? []))) {
    const { line } = lines.find((one) => one.key === key)!;
    const entryId = entryIdOf(account.accountId, key);
    const [id = ''] = ids;
    const link = { action: 'link' as const, allocations: [{ transactionId: id, cents: line.cents }] };
    const given = line.cents % 2n === 0n ? link : { action: 'ignore' as const, allocations: [] };
    const { outcome } = await account.decide(
      entryId,
      given.action,
      given.allocations.map((one) => [one.transactionId, one.cents]),
    );
    if (outcome === 'decided') memory.decide(key, given);
  }
}

test('decisions stay with their lines or are lost as the rules say, when statements are voided', async () => {
  const decided = fc.record({
    month: bankMonth,
    places: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    voids: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(decided, async ({ month, places, voids }) => {
      const memory = new StatementDays({ contributions });
      const account = await createDecidedAccount(database.admin, pool);
      const { stored, environmentId, accountId } = account;
      const uploads: { memoryId: string; fileId: string }[] = [];
      for (const content of filesOf(month)) {
        const memoryId = memory.upload(content, optionsOf(content));
        uploads.push({ memoryId, fileId: await stored.upload(content, optionsOf(content)) });
      }
      await stored.work();
      await decideSome(account, memory, places);
      await stored.work();
      await expectEqual(stored, memory, accountId);
      for (const [at, { memoryId, fileId }] of uploads.entries()) {
        if (!voids[at % voids.length]) continue;
        memory.void(memoryId);
        await stored.void(fileId);
      }
      await stored.work();
      await expectEqual(stored, memory, accountId);
      const lost = await createLostDecisionsStore(pool).list(environmentId, null, '-infinity', 'infinity');
      const questions = memory.questions().filter((one) => one.endsWith('decision_without_line'));
      expect(lost.map(({ day }) => `${day} decision_without_line`).sort()).toEqual(questions);
    }),
    { numRuns: cases, endOnFailure: true },
  );
});
