import { createContributionsListStore } from '../../src/core/contributions/contributions-list.store';
import { createCountOpenPositions } from '../../src/features/bank-statements/reporting/positions/open-positions';
import {
  createOpenPositionsStore,
  openPositionsReading,
} from '../../src/features/bank-statements/reporting/positions/open-positions.store';
import { createPositionPages } from '../../src/features/bank-statements/reporting/positions/position-pages';
import { createAccountCalendars } from '../../src/features/bank-statements/reporting/days/account-calendars';
import { createCalendarStore } from '../../src/features/bank-statements/reporting/days/calendar.store';
import { createAccountCoverage } from '../../src/features/bank-statements/reporting/positions/account-coverage';
import { createAccountPositionsStore } from '../../src/features/bank-statements/reporting/positions/account-positions.store';
import { createRecordedReturnsStore } from '../../src/features/bank-statements/reporting/positions/recorded-returns.store';
import { type Completions, createCompletions } from '../support/completions';
import { sample } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';

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

const noneOpen = { '7_to_14_days': 0, '14_to_30_days': 0, over_30_days: 0 };

/** The counts of all test environments, as the metrics show them. */
async function openCounts(): Promise<Record<string, number>> {
  const [samples = []] = await openPositionsReading(service.container.database).read();
  const ofTest = samples.filter(({ labels }) => labels?.['environment_kind'] === 'test');
  return Object.fromEntries(ofTest.map(({ labels, value }) => [labels?.['age'] ?? '', value]));
}

/** Counts like a process that runs some days after the contributions were created. */
async function countAfter(days: number): Promise<boolean> {
  const { database } = service.container;
  await service.database.admin.query(`UPDATE comparing_progress SET positions_due_at = '-infinity'`);
  const accounts = createCalendarStore(database);
  const source = {
    ...createAccountPositionsStore(database),
    ...createRecordedReturnsStore(database),
    ...createAccountCoverage(accounts, createAccountCalendars(accounts)),
  };
  const count = createCountOpenPositions({
    store: stored(),
    positionPages: createPositionPages(source, createContributionsListStore(database)),
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
  await uploadAndWait(company.test, statementFile(lines, { from: '2026-11-20' }));
}

test.each(
  sample(
    [
      [6, {}],
      [8, { '7_to_14_days': 2 }],
      [20, { '14_to_30_days': 2 }],
      [40, { over_30_days: 2 }],
      [70, {}],
    ],
    1,
  ),
)('after %i days, open contributions are counted by age', async (days, expected) => {
  await planMonth();
  expect(await countAfter(days)).toBe(true);
  expect(await openCounts()).toEqual({ ...noneOpen, ...expected });
});

test('an environment is counted by one process, and again after some hours', async () => {
  await planMonth();
  expect(await countAfter(8)).toBe(true);
  expect(await stored().claim()).toBeUndefined();
  const { rows } = await service.database.admin.query<{ due: Date }>(
    'SELECT positions_due_at AS due FROM comparing_progress',
  );
  const hours = (rows[0]!.due.getTime() - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(6);
  await service.database.admin.query(`UPDATE comparing_progress SET positions_due_at = '-infinity'`);
  expect(await stored().claim()).toBeDefined();
  expect(await stored().claim()).toBeUndefined();
});

test('an environment without statements is never counted', async () => {
  await contributions.create();
  expect(await countAfter(8)).toBe(false);
  expect(await openCounts()).toEqual(noneOpen);
});
