import { type AccountDay, type DayStatement, judgeDays } from '../../../src/features/statements/account-days';

/** The balances that several statements tell of one day, as the check chooses them. */
const day = '2026-11-20';
const startsAtMs = Date.parse(`${day}T00:00:00Z`);
const statement: DayStatement = {
  ...{ fileId: 'file', format: 'camt.053', isFinal: true, madeAt: null, receivedOn: '2026-11-30' },
  ...{
    periodFrom: day,
    periodTo: day,
    firstDay: day,
    lastDay: day,
    startsAtMs,
    endsAtMs: startsAtMs + 86_400_000,
  },
  ...{ openingCents: 0n, closingCents: 25_00n, dailyCents: null, isInDollars: true, isCompared: true },
};

/** The day as all orders of the statements tell it. */
function judge(statements: readonly DayStatement[], on = day): AccountDay {
  const account = { accountId: 'account', ending: null, name: null, firstDay: on, lastDay: on };
  const [judged, other] = [statements, [...statements].reverse()].map(
    (inOrder) => judgeDays({ ...account, statements: inOrder, countedCents: { [day]: '2500' } })[0]!,
  );
  expect(judged).toEqual(other);
  return judged!;
}

const other = (closingCents: bigint, more: Partial<DayStatement>): DayStatement => ({
  ...statement,
  closingCents,
  ...more,
});

test.each<[string, DayStatement, bigint]>([
  ['was made later', other(20_00n, { madeAt: '2026-11-21T08:00:00Z' }), 20_00n],
  ['was made earlier', other(20_00n, { madeAt: '2026-11-19T08:00:00Z' }), 25_00n],
  ['ends earlier', other(20_00n, { endsAtMs: startsAtMs + 3_600_000 }), 25_00n],
  ['is in BAI2', other(20_00n, { format: 'bai2', madeAt: '2026-11-21T08:00:00Z' }), 25_00n],
  ['is a report', other(20_00n, { isFinal: false, madeAt: '2026-11-21T08:00:00Z' }), 25_00n],
])('a second statement that %s, in any order of uploads', (_, second, closingCents) => {
  expect(judge([{ ...statement, madeAt: '2026-11-20T08:00:00Z' }, second])).toMatchObject({ closingCents });
});

test('two statements without times tell the same balances in any order of uploads', () => {
  expect(judge([statement, other(20_00n, {})])).toMatchObject({ closingCents: 25_00n, state: 'balanced' });
});

test.each<[string, Partial<DayStatement>, string]>([
  ['is being compared', { isCompared: false }, 'The service is still comparing a file of this day.'],
  ['is a report', { isFinal: false }, 'No final statement covers this day.'],
  ['is in euros', { isInDollars: false }, 'A statement is not in US dollars.'],
  ['states no balance', { closingCents: null }, 'No statement tells both balances of this day.'],
  [
    'states no period',
    { periodFrom: null, periodTo: null },
    'The statement states no period, so its balances belong to no day.',
  ],
  [
    'covers two days and is not balanced',
    { periodTo: '2026-11-21', lastDay: '2026-11-21' },
    'The statement tells only the balances of its whole period.',
  ],
])('a day whose statement %s is not checked', (_, more, reason) => {
  expect(judge([{ ...statement, ...more }])).toMatchObject({
    state: 'not_checked',
    differenceCents: null,
    reason,
  });
});

test('a statement of a month that is not over tells the days before its receipt', () => {
  const month = {
    ...{ periodFrom: '2026-11-01', firstDay: '2026-11-01', periodTo: '2026-11-30', lastDay: '2026-11-30' },
    dailyCents: { '2026-11-05': '500', [day]: '2500' },
  };
  const received = (receivedOn: string) => judge([{ ...statement, ...month, receivedOn }]);
  expect(received('2026-11-21')).toMatchObject({
    openingCents: 5_00n,
    closingCents: 30_00n,
    state: 'balanced',
  });
  expect(received(day)).toMatchObject({
    state: 'not_checked',
    reason: 'No final statement covers this day.',
  });
});
