import fc from 'fast-check';

import { randomCases } from '../../support/full-run';
import { StatementDays } from '../../support/statement-days';
import { type Line, statementFile } from '../../support/statement-files';
import { contributions, days, ids } from './bank-months';

/** Files that contradict each other: only their order must not matter. */
const line = fc.record({
  who: fc.nat(2),
  cents: fc.constantFrom(25_50n, 7_00n),
  day: fc.nat(2),
  reference: fc.constantFrom(undefined, 'NONREF', 'REF-1', 'REF-2', 'REF-3'),
  isDebit: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
  isDated: fc.boolean(),
});
type PlannedLine = typeof line extends fc.Arbitrary<infer Value> ? Value : never;

const file = fc.record({
  kind: fc.constantFrom('053', '053', '053', '052', '054'),
  from: fc.nat(2),
  span: fc.nat(2),
  period: fc.constantFrom('none', 'days', 'days', 'morning', 'afternoon'),
  number: fc.constantFrom(undefined, 1, 2, 3),
  id: fc.constantFrom('A', 'B'),
  madeAt: fc.constantFrom(undefined, '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z', '2026-11-21T02:00:00'),
  openingCents: fc.constantFrom(100_00n, 125_50n, 107_00n),
  lines: fc.array(line, { maxLength: 4 }),
  page: fc.constantFrom(0, 0, 0, 1, 2),
  isWrong: fc.integer({ min: 0, max: 6 }).map((one) => one === 0),
});
type PlannedFile = typeof file extends fc.Arbitrary<infer Value> ? Value : never;

const order = fc.array(fc.nat(9_999), { minLength: 8, maxLength: 8 });
const plan = fc.record({
  files: fc.array(file, { minLength: 2, maxLength: 7 }),
  orders: fc.tuple(order, order),
  voided: fc.integer({ min: -1, max: 6 }),
  remembered: fc.constantFrom(null, null, 'newest' as const, 'all_lines' as const),
  linked: fc.nat(7),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

const lineOf = ({ who, cents, day, reference, isDebit }: PlannedLine): Line => ({
  cents,
  date: days[day]!,
  ...(who < 2 ? { id: ids[who]! } : { text: 'other' }),
  ...(reference === undefined ? {} : { reference }),
  ...(isDebit ? { direction: 'debit', returnCode: 'AC04' } : {}),
});

function periodOf({ from, span, period }: PlannedFile): { from?: string; to?: string } {
  const day = days[from]!;
  if (period === 'none') return {};
  if (period === 'days') return { from: day, to: days[Math.min(2, from + span)]! };
  const hours = { morning: ['00:00:00', '12:00:00'], afternoon: ['12:00:00', '23:59:59'] }[period];
  return { from: `${day}T${hours[0]}`, to: `${day}T${hours[1]}` };
}

function contentOf(one: PlannedFile): string {
  const xml = statementFile(one.lines.map(lineOf), {
    kind: one.kind as '053',
    openingCents: one.openingCents,
    ...periodOf(one),
    ...(one.isWrong ? { closingCents: one.openingCents + 1n } : {}),
    ...(one.number === undefined ? {} : { sequence: one.number }),
    ...(one.madeAt === undefined ? {} : { madeAt: one.madeAt }),
  }).replace('<Id>S</Id>', `<Id>${one.id}</Id>`);
  const page = `<MsgPgntn><PgNb>${one.page}</PgNb><LastPgInd>${one.page === 2}</LastPgInd></MsgPgntn></GrpHdr>`;
  let at = 0;
  return (one.page === 0 ? xml : xml.replace('</GrpHdr>', page)).replace(
    /<BookgDt>.*?<\/BookgDt>/g,
    (date) => (one.lines[at++]!.isDated ? date : ''),
  );
}

function play(
  { files, voided, remembered }: Plan,
  order: readonly number[],
  isNoisy: boolean,
): StatementDays {
  const account = new StatementDays({ contributions });
  account.remembered = remembered;
  const ordered = files
    .map((one, at) => ({ content: contentOf(one), at, place: order[at]! + at / 100 }))
    .sort((one, other) => one.place - other.place);
  for (const [turn, { content, at }] of ordered.entries()) {
    const fileId = account.upload(content);
    if (isNoisy && turn % 2 === 0) account.work();
    if (isNoisy && turn % 3 === 1) {
      const again = account.upload(content);
      account.work();
      account.void(again);
    }
    if (at !== voided) continue;
    if (isNoisy) account.work();
    account.void(fileId);
  }
  return account;
}

const seen = (account: StatementDays) => ({
  versions: account.rows().map(({ day, version }) => `${day} ${version}`),
  lines: account
    .lines()
    .map(({ key, outcome, state, reason, decision }) => ({ key, outcome, state, reason, decision })),
  money: ids.map((id) => account.moneyOf(id)),
  questions: account.questions(),
  calendar: account.calendar(),
});

const still: PlannedFile = {
  ...{ kind: '053', from: 2, span: 0, period: 'days', number: undefined, id: 'A', madeAt: undefined },
  ...{ openingCents: 100_00n, lines: [], page: 0, isWrong: true },
};
const moved: PlannedLine = {
  who: 0,
  cents: 25_50n,
  day: 2,
  reference: undefined,
  isDebit: true,
  isDated: true,
};
/** Only some of the statements of a day have a number or a time. */
const partlyNumbered: Plan = {
  files: [
    { ...still, number: 1, madeAt: '2026-11-21T02:00:00Z' },
    { ...still, from: 0, span: 2, number: 2 },
    { ...still, from: 1, period: 'morning', lines: [moved] },
    { ...still, period: 'morning' },
    { ...still, from: 0, period: 'none' },
  ],
  orders: [
    [4_563, 5, 0, 0, 0, 0, 0, 0],
    [0, 1_843, 0, 0, 0, 0, 0, 0],
  ],
  ...{ voided: -1, remembered: null, linked: 0 },
};

/** Two versions of a day have an equal line, and one of them has it twice. */
const oneLineTwice: Plan = {
  files: [
    {
      ...still,
      lines: [
        { ...moved, day: 0, isDebit: false, isDated: false },
        { ...moved, day: 0, isDated: false },
      ],
    },
    {
      ...{ ...still, from: 1, period: 'afternoon', isWrong: false },
      lines: [{ ...moved, who: 2, reference: 'REF-3', isDebit: false }],
    },
    {
      ...{ ...still, from: 0, period: 'none', openingCents: 107_00n, isWrong: false },
      lines: [
        { ...moved, who: 2, day: 0, reference: 'REF-3', isDebit: false, isDated: false },
        { ...moved, who: 1, cents: 7_00n, day: 0, isDebit: false, isDated: false },
        { ...moved, who: 1, reference: 'REF-3' },
      ],
    },
    { ...still, from: 0, period: 'none' },
    { ...still, from: 0, period: 'none' },
  ],
  orders: [
    [0, 0, 0, 0, 0, 0, 0, 0],
    [0, 3_270, 0, 0, 0, 0, 0, 0],
  ],
  ...{ voided: 3, remembered: null, linked: 0 },
};

test('the result of contradicting files does not depend on their order, and is exact without a question', () => {
  let exact = 0;
  fc.assert(
    fc.property(plan, (given) => {
      const [one, other] = [play(given, given.orders[0], false), play(given, given.orders[1], true)];
      expect(seen(other)).toEqual(seen(one));
      const { isExact } = one.reconcile();
      if (one.questions().length > 0 || isExact === null) return;
      expect(isExact).toBe(true);
      exact += 1;
    }),
    { numRuns: randomCases(5_000), examples: [[partlyNumbered], [oneLineTwice]] },
  );
  expect(exact).toBeGreaterThan(20);
});

test('a decision that was made before or after other files has the same effect', () => {
  fc.assert(
    fc.property(plan, (given) => {
      const accounts = given.orders.map((order) => play(given, order, false));
      const [one, other] = accounts as [StatementDays, StatementDays];
      const { key } = one.lines()[given.linked % Math.max(1, one.lines().length)] ?? {};
      if (key === undefined) return;
      const decision = { action: 'link', allocations: [{ transactionId: ids[3]!, cents: 25_50n }] } as const;
      for (const account of accounts) account.decide(key, decision);
      // A file that is uploaded and voided in between leaves nothing behind.
      other.work();
      const extra = other.upload(contentOf({ ...given.files[0]!, lines: [], isWrong: true, number: 3 }));
      other.work();
      other.void(extra);
      expect(seen(other)).toEqual(seen(one));
    }),
    { numRuns: randomCases(1_000) },
  );
});
