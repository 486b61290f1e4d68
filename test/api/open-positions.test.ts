import { createContributionsListStore } from '../../src/modules/contributions/contributions-list.store';
import { createCountOpenPositions } from '../../src/modules/statements/open-positions';
import { createOpenPositionsStore } from '../../src/modules/statements/open-positions.store';
import { createPositionPages } from '../../src/modules/statements/position-pages';
import { createPositionsStore } from '../../src/modules/statements/positions.store';
import { type Completions, createCompletions } from '../support/completions';
import { sample } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndMatch } from '../support/statement-files';

/** The count of open positions for the alert. */
let service: TestService;
let company: TestCompany;
let contributions: Completions;

beforeEach(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
  company = await service.addCompany();
  contributions = await createCompletions(service, company);
});
afterEach(() => service.stop());

const dayMs = 86_400_000;
const stored = () => createOpenPositionsStore(service.container.database);

/** Counts like a process that runs some days after the contributions were created. */
async function countAfter(days: number): Promise<boolean> {
  const { database } = service.container;
  await service.database.admin.query(`UPDATE matching_progress SET positions_due_at = '-infinity'`);
  const count = createCountOpenPositions({
    store: stored(),
    positionPages: createPositionPages(
      createPositionsStore(database),
      createContributionsListStore(database),
    ),
    clock: { now: () => new Date(Date.now() + days * dayMs) },
  });
  return count();
}

/** One short payment, one payment without a completion, one that matches, and one without money. */
async function planMonth(): Promise<void> {
  const [short, pending, matched, waiting] = [
    await contributions.create(),
    await contributions.create(),
    await contributions.create(),
    await contributions.create(),
  ];
  for (const id of [short, matched, waiting]) await contributions.complete(company.test, id).expect(200);
  const lines = [
    { cents: 20_00n, id: short, reference: 'R-1' },
    { cents: 25_50n, id: pending, reference: 'R-2' },
    { cents: 25_50n, id: matched, reference: 'R-3' },
  ];
  await uploadAndMatch(company.test, statementFile(lines, { from: '2026-11-20' }));
}

test.each(
  sample(
    [
      [6, { from7To14Days: 0, from14To30Days: 0, over30Days: 0 }],
      [8, { from7To14Days: 2, from14To30Days: 0, over30Days: 0 }],
      [20, { from7To14Days: 0, from14To30Days: 2, over30Days: 0 }],
      [40, { from7To14Days: 0, from14To30Days: 0, over30Days: 2 }],
      [70, { from7To14Days: 0, from14To30Days: 0, over30Days: 0 }],
    ],
    1,
  ),
)('after %i days, open contributions are counted by age', async (days, expected) => {
  await planMonth();
  expect(await countAfter(days)).toBe(true);
  expect(await stored().counts()).toEqual([{ kind: 'test', ...expected }]);
});

test('an environment is counted by one process, and again after some hours', async () => {
  await planMonth();
  expect(await countAfter(8)).toBe(true);
  expect(await stored().claim()).toBeUndefined();
  const { rows } = await service.database.admin.query<{ due: Date }>(
    'SELECT positions_due_at AS due FROM matching_progress',
  );
  const hours = (rows[0]!.due.getTime() - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(6);
  await service.database.admin.query(`UPDATE matching_progress SET positions_due_at = '-infinity'`);
  expect(await stored().claim()).toBeDefined();
  expect(await stored().claim()).toBeUndefined();
});

test('an environment without statements is never counted', async () => {
  await contributions.create();
  expect(await countAfter(8)).toBe(false);
  expect(await stored().counts()).toEqual([]);
});
