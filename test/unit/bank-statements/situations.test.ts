import { questionsOf } from '../../../src/features/bank-statements/rules/days/calendar';
import { StatementDays } from '../../support/statement-days';
import { type Line, statementFile, type StatementForm } from '../../support/statement-files';
import { bai2File, contributions, ids } from './bank-months';

/** Single situations of an account, as a person meets them. Contributions are 25.50 dollars. */
const [first, second] = ids as [string, string];
const day = '2026-11-20';
const cents = 25_50n;
const pay = (id: string, reference?: string, date = day): Line => ({
  ...{ cents, id, date },
  ...(reference === undefined ? {} : { reference }),
});
const on = (lines: Line[], form: StatementForm = {}): string =>
  statementFile(lines, { from: day, openingCents: 0n, ...form });

function play(...files: string[]): StatementDays {
  const account = new StatementDays({ contributions });
  for (const content of files) account.upload(content);
  return account;
}
/** Plays the files in both orders. */
const inBothOrders = (...files: string[]): StatementDays[] => [play(...files), play(...files.reverse())];
const paid = (account: StatementDays): bigint[] => [first, second].map((id) => account.moneyOf(id).paid);
const states = (account: StatementDays): string[] =>
  account
    .lines()
    .map(({ line, state, reason }) => `${line.reference ?? ''} ${state}${reason ? ` ${reason}` : ''}`)
    .sort();
const key = (account: StatementDays, reference: string): string =>
  account.lines().find(({ line }) => line.reference === reference)!.key;
const versions = (account: StatementDays): readonly string[] =>
  account.calendar().flatMap(({ questions }) => questions.flatMap((one) => one.versions));

test.each(['NONREF', 'TRANSFER'])(
  'numbered statements with balances that follow add up, with the reference %s',
  (reference) => {
    const account = play(
      on([pay(first, reference)], { sequence: 1 }),
      on([pay(second, reference)], { sequence: 2, openingCents: cents }),
    );
    expect(paid(account)).toEqual([cents, cents]);
    expect(account.questions()).toEqual([]);
  },
);

test('two statements that start with the same balance are a question, and an answer chooses', () => {
  const files = [on([pay(first, 'REF-1')], { sequence: 1 }), on([pay(second, 'REF-2')], { sequence: 2 })];
  for (const account of inBothOrders(...files)) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(paid(account)).toEqual([0n, 0n]);
    expect(states(account)).toEqual(['REF-1 proposed in_other_version', 'REF-2 proposed two_versions']);
    const among = versions(account);
    account.answer(day, { kind: 'version', version: among[1]!, among });
    expect(paid(account)).toEqual([cents, 0n]);
    account.answer(day, { kind: 'all_lines', among });
    expect(paid(account)).toEqual([cents, cents]);
    expect(account.questions()).toEqual([]);
    expect(account.reconcile()).toMatchObject({ matched: 2n * cents, isExact: true });
  }
});

test('two statements of several days that contradict each other are one question', () => {
  const week = { from: '2026-11-17', to: '2026-11-19' };
  const linesOf = (id: string): Line[] => [pay(id, 'REF-1', '2026-11-18'), pay(id, 'REF-2', '2026-11-19')];
  const account = play(on(linesOf(first), week), on(linesOf(second), week));
  expect(questionsOf(account.calendar())).toMatchObject([
    { kind: 'two_versions', from: '2026-11-18', to: '2026-11-19' },
  ]);
});

test('more versions than can be compared are a question, and none of their lines counts', () => {
  const files = Array.from({ length: 30 }, (_, at) => on([pay(first, `REF-${at}`)]));
  const account = play(...files);
  expect([account.questions(), paid(account)]).toEqual([[`${day} two_versions`], [0n, 0n]]);
  expect(account.lines().map(({ state }) => state)).toEqual(files.map(() => 'proposed'));
});

test('an answer ends when a version appears that it did not know', () => {
  const account = play(
    on([pay(first, 'REF-1')], { sequence: 1 }),
    on([pay(second, 'REF-2')], { sequence: 2 }),
  );
  const among = versions(account);
  account.answer(day, { kind: 'version', version: among[0]!, among });
  expect(account.questions()).toEqual([]);
  account.upload(on([pay(first, 'REF-3'), pay(second, 'REF-4')], { sequence: 3 }));
  expect(account.questions()).toEqual([`${day} two_versions`]);
});

test.each([
  ['newest', [0n, cents]],
  ['all_lines', [cents, cents]],
] as const)('the remembered answer %s decides without a question', (remembered, expected) => {
  const account = new StatementDays({ contributions });
  account.remembered = remembered;
  account.upload(on([pay(first, 'REF-1')], { sequence: 1 }));
  account.upload(on([pay(second, 'REF-2')], { sequence: 2 }));
  expect(account.questions()).toEqual([]);
  expect(paid(account)).toEqual(expected);
});

test.each([
  ['no creation time', {}, {}],
  ['one creation time', {}, { madeAt: '2026-11-21T05:00:00Z' }],
  ['times of other kinds', { madeAt: '2026-11-21T05:00:00' }, { madeAt: '2026-11-21T06:00:00Z' }],
  ['no creation time, of a statement that does not add up', { closingCents: 1n }, {}],
])('a correction with %s is a question', (_, old, corrected) => {
  const files = [
    on([pay(first, 'REF-1')], { sequence: 1, ...old }),
    on([pay(second, 'REF-1')], { sequence: 1, ...corrected }),
  ];
  for (const account of inBothOrders(...files)) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(paid(account)).toEqual([0n, 0n]);
  }
});

test('a correction with the same Id replaces the old statement if half of the lines remain', () => {
  const old = [pay(first, 'REF-1'), pay(second, 'REF-2')];
  const corrected = [pay(first, 'REF-1'), pay(first, 'REF-3')];
  const files = [
    on(old, { madeAt: '2026-11-21T05:00:00Z' }),
    on(corrected, { madeAt: '2026-11-21T06:00:00Z' }),
  ];
  for (const account of inBothOrders(...files)) {
    expect(account.questions()).toEqual([]);
    expect(paid(account)).toEqual([2n * cents, 0n]);
  }
});

const both = [pay(first, 'REF-1'), pay(second, 'REF-2')];
const withoutClosing = (xml: string): string => xml.replace(/<Bal><Tp><CdOrPrtry><Cd>CLBD.*?<\/Bal>/, '');

test.each([
  ['a part of the day', on(both.slice(0, 1), { from: `${day}T00:00:00`, to: `${day}T12:00:00` }), on(both)],
  ['without a closing balance', withoutClosing(on(both.slice(0, 1))), on(both)],
  ['with a lower number', on(both.slice(0, 1), { sequence: 1 }), on(both, { sequence: 2 })],
  [
    'made earlier',
    on(both.slice(0, 1), { madeAt: '2026-11-20T18:00:00Z' }),
    on(both, { madeAt: '2026-11-21T06:00:00Z' }).replace('<Id>S<', '<Id>T<'),
  ],
])('a version %s is replaced by one that contains it', (_, small, big) => {
  for (const account of inBothOrders(small, big)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test.each([
  ['with a higher number', on(both.slice(0, 1), { sequence: 2 }), on(both, { sequence: 1 })],
  ['with another opening balance', withoutClosing(on(both.slice(0, 1), { openingCents: 7n })), on(both)],
  ['of unknown age', on(both.slice(0, 1)), on(both)],
])('a version %s is a question, although another contains it', (_, small, big) => {
  for (const account of inBothOrders(small, big)) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(paid(account)).toEqual([cents, 0n]);
  }
});

test('a statement with the same Id that keeps less than half of the lines is a question', () => {
  const files = [
    on([pay(first, 'REF-1')], { madeAt: '2026-11-21T05:00:00Z' }),
    on([pay(second, 'REF-2')], { madeAt: '2026-11-21T06:00:00Z' }),
  ];
  for (const account of inBothOrders(...files)) expect(account.questions()).toEqual([`${day} two_versions`]);
});

test('statements of a day with one number that follow each other are no versions', () => {
  const files = [
    on([pay(first, 'REF-1')], { sequence: 5, madeAt: '2026-11-20T12:00:00Z' }),
    on([pay(second, 'REF-2')], { sequence: 5, madeAt: '2026-11-20T18:00:00Z', openingCents: cents }),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test('statements without numbers and times follow each other by their balances', () => {
  const files = [0n, 1n, 2n, 3n].map((at) => on([pay(first, `REF-${at}`)], { openingCents: at * cents }));
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [4n * cents, 0n]]);
  }
});

test('a statement of several days is followed within its last day only by the next number', () => {
  const days = { from: '2026-11-19', to: day };
  const numbered = play(
    on([pay(first, 'REF-1')], { ...days, sequence: 1 }),
    on([pay(second, 'REF-2')], { sequence: 2, openingCents: cents }),
  );
  expect([numbered.questions(), paid(numbered)]).toEqual([[], [cents, cents]]);
  const unnumbered = play(
    on([pay(first, 'REF-1')], days),
    on([pay(second, 'REF-2')], { openingCents: cents }),
  );
  expect(unnumbered.questions()).toContain(`${day} two_versions`);
});

test('a newer version that does not add up replaces nothing', () => {
  const account = play(
    on([pay(first, 'REF-1')], { sequence: 1, madeAt: '2026-11-21T05:00:00Z' }),
    on([pay(second, 'REF-2')], { sequence: 1, madeAt: '2026-11-21T06:00:00Z', closingCents: 1n }),
  );
  expect(account.questions()).toEqual([]);
  expect(paid(account)).toEqual([cents, 0n]);
});

test('a statement that does not add up is a question, and another format that adds up counts', () => {
  const account = play(on([pay(first, 'REF-1')], { closingCents: 1n }));
  expect(account.questions()).toEqual([`${day} unbalanced`]);
  expect(states(account)).toEqual(['REF-1 proposed statement_incomplete']);
  account.upload(bai2File([pay(first, 'REF-1')], day, 0n, '0100'));
  expect(account.questions()).toEqual([]);
  expect(paid(account)).toEqual([cents, 0n]);
});

const mapping = {
  date: 'Date',
  date_format: 'YYYY-MM-DD',
  amount: 'Amount',
  texts: ['Text'],
  decimal: '.',
  delimiter: ',',
} as const;
const csv = (...texts: string[]): string =>
  `Date,Amount,Text\n${texts.map((text) => `${day},25.50,${text}`).join('\n')}\n`;
function playCsv(...files: string[]): StatementDays {
  const account = new StatementDays({ contributions });
  for (const content of files) account.upload(content, { mapping: { ...mapping, texts: ['Text'] } });
  return account;
}

test('a CSV file of noon is part of the one of the evening', () => {
  for (const files of [
    [csv(first), csv(first, second)],
    [csv(first, second), csv(first)],
  ]) {
    const account = playCsv(...files);
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
    expect(account.calendar()).toMatchObject([{ state: 'missing', reason: 'period_not_stated' }]);
  }
});

test('two filtered CSV files of a day are a question: their common lines count', () => {
  const account = playCsv(csv(first, 'gift'), csv(second, 'gift'));
  expect(account.questions()).toEqual([`${day} two_versions`]);
  expect(paid(account)).toEqual([0n, 0n]);
  expect(account.lines().filter(({ state }) => state === 'counted')).toHaveLength(1);
  account.answer(day, { kind: 'all_lines', among: versions(account) });
  expect(account.lines().filter(({ state }) => state === 'counted')).toHaveLength(3);
});

test('a CSV file beside a statement of the day changes nothing', () => {
  const account = play(on([pay(first, 'REF-1')]));
  account.upload(csv(first, second), { mapping: { ...mapping, texts: ['Text'] } });
  expect([account.questions(), paid(account)]).toEqual([[], [cents, 0n]]);
});

test.each([
  ['the same reference', 'REF-1', 'proposed in_better_statement', cents],
  ['another reference', 'REF-2', 'counted', 2n * cents],
])('a BAI2 statement of the next day with %s', (_, reference, state, expected) => {
  const next = bai2File([pay(first, reference, '2026-11-21')], '2026-11-21', null, '0100');
  for (const account of inBothOrders(on([pay(first, 'REF-1')]), next)) {
    expect(states(account)).toContain(`${reference} ${state}`);
    expect(paid(account)).toEqual([expected, 0n]);
  }
});

test('a notification counts alone only with the reference of the bank', () => {
  const named = play(on([pay(first, 'REF-1')], { kind: '054' }));
  const unnamed = play(on([pay(first)], { kind: '054' }));
  expect([paid(named), paid(unnamed)]).toEqual([
    [cents, 0n],
    [0n, 0n],
  ]);
  expect(states(unnamed)).toEqual([' proposed no_bank_reference']);
  unnamed.decide(unnamed.lines()[0]!.key, {
    action: 'link',
    allocations: [{ transactionId: second, cents }],
  });
  expect(paid(unnamed)).toEqual([0n, cents]);
});

test('two notifications of one payment count once, and the one with an id counts', () => {
  const unnamed = on([{ ...pay(first, 'REF-1'), id: 'NOTPROVIDED' }], { kind: '054' });
  for (const account of inBothOrders(unnamed, on([pay(first, 'REF-1')], { kind: '054' }))) {
    expect([paid(account), account.replaced().length]).toEqual([[cents, 0n], 1]);
  }
});

test('a pending line of a report does not replace the booked line of a notification', () => {
  const pending = on([{ ...pay(first, 'REF-1'), status: 'PDNG' }], { kind: '052' });
  for (const account of inBothOrders(pending, on([pay(first, 'REF-1')], { kind: '054' }))) {
    expect(paid(account)).toEqual([cents, 0n]);
  }
});

test('a short reference identifies no payment', () => {
  expect(states(play(on([pay(first, 'A1')], { kind: '054' })))).toEqual([' proposed no_bank_reference']);
});

test('a statement within seven days replaces a notification with its reference', () => {
  for (const account of inBothOrders(
    on([pay(first, 'REF-1')]),
    on([pay(first, 'REF-1', '2026-11-27')], { kind: '054', from: '2026-11-27' }),
  )) {
    expect([paid(account), account.replaced().length]).toEqual([[cents, 0n], 1]);
  }
  const later = on([pay(first, 'REF-1', '2026-11-28')], { kind: '054', from: '2026-11-28' });
  expect(paid(play(on([pay(first, 'REF-1')]), later))).toEqual([2n * cents, 0n]);
});

test('a report replaces the notification of the next day, which is in UTC', () => {
  const report = on([pay(first, 'REF-1')], { kind: '052' });
  const notification = on([pay(first, 'REF-1', '2026-11-21')], { kind: '054', from: '2026-11-21' });
  for (const account of inBothOrders(report, notification)) expect(paid(account)).toEqual([cents, 0n]);
});

test('the same notification counts once, in two files', () => {
  const notification = on([pay(first, 'REF-1')], { kind: '054' });
  const account = play(notification, notification);
  expect([paid(account), account.replaced().length]).toEqual([[cents, 0n], 1]);
});

test('a report does not replace a notification of two days later', () => {
  const notification = on([pay(first, 'REF-1', '2026-11-22')], { kind: '054', from: '2026-11-22' });
  const account = play(on([pay(first, 'REF-1')], { kind: '052' }), notification);
  expect(paid(account)).toEqual([2n * cents, 0n]);
});

test('the statement of a day replaces its notifications, also those that it lacks', () => {
  for (const account of inBothOrders(
    on([pay(first, 'REF-1')]),
    on([pay(second, 'REF-2')], { kind: '054' }),
  )) {
    expect([paid(account), account.replaced().length]).toEqual([[cents, 0n], 1]);
  }
});

test('a statement that is issued again under the next number counts once', () => {
  const lines = [
    pay(first, 'REF-1'),
    { ...pay('', 'SWEEP'), id: 'NOTPROVIDED', direction: 'debit' as const },
  ];
  const account = play(on(lines, { sequence: 1 }), on(lines, { sequence: 2 }));
  expect([account.questions(), paid(account)]).toEqual([[], [cents, 0n]]);
});

test('a statement that is issued again with other references is a question', () => {
  const account = play(
    on([pay(first, 'REF-1')], { sequence: 1 }),
    on([pay(first, 'REF-2')], { sequence: 2 }),
  );
  expect(account.questions()).toEqual([`${day} two_versions`]);
});

test('a line that only an older number has is proposed, not dropped', () => {
  for (const account of inBothOrders(on(both, { sequence: 1 }), on(both.slice(0, 1), { sequence: 2 }))) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(paid(account)).toEqual([cents, 0n]);
  }
});

test('a moved line counts if the balances follow', () => {
  const account = play(
    on([pay(first, 'REF-1', '2026-11-19')], { from: '2026-11-19' }),
    on([pay(first, 'REF-1', '2026-11-19')], { openingCents: cents }),
  );
  expect([account.questions(), paid(account)]).toEqual([[], [2n * cents, 0n]]);
});

test('a moved line whose own day has it too is proposed if the balances do not follow', () => {
  const account = play(
    on([pay(first, 'REF-1', '2026-11-19')], { from: '2026-11-19' }),
    on([pay(first, 'REF-1', '2026-11-19')], { openingCents: 7n }),
  );
  expect(account.questions()).toEqual([`${day} does_not_follow`]);
  expect(states(account)).toContain('REF-1 proposed possible_repeat');
  expect(paid(account)).toEqual([cents, 0n]);
  account.accepted.add(account.calendar()[1]!.questions[0]!.between);
  expect(account.questions()).toEqual([]);
});

const gift: Line = { cents, text: 'gift of a friend', date: day, reference: 'REF-1' };
const link = { action: 'link', allocations: [{ transactionId: second, cents }] } as const;

test.each([
  ['an equal line', gift, [0n, cents], []],
  ['another text and the same reference', { ...gift, text: 'gift' }, [0n, cents], []],
  ['another amount', { ...gift, cents: 26_00n }, [0n, 0n], [`${day} decision_without_line`]],
  [
    'another reference',
    { ...gift, reference: 'REF-9', text: 'gift' },
    [0n, 0n],
    [`${day} decision_without_line`],
  ],
])('a decision and a new version with %s', (_, line, expected, questions) => {
  const account = play(on([gift], { sequence: 1, madeAt: '2026-11-21T05:00:00Z' }));
  account.decide(key(account, 'REF-1'), link);
  expect(paid(account)).toEqual([0n, cents]);
  account.upload(on([line], { sequence: 1, madeAt: '2026-11-21T06:00:00Z' }));
  expect([paid(account), account.questions()]).toEqual([expected, questions]);
});

test('a split that names an unknown contribution gives nothing', () => {
  const account = play(on([gift]));
  const allocations = [first, 'K7Q20000000000X'].map((transactionId) => ({ transactionId, cents: 12_75n }));
  account.decide(key(account, 'REF-1'), { action: 'split', allocations });
  expect(account.lines()).toMatchObject([{ outcome: 'unknown', reason: 'not_found', allocations: [] }]);
});

test('a decision on a notification moves to the line of the statement', () => {
  const account = play(on([gift], { kind: '054' }));
  account.decide(key(account, 'REF-1'), link);
  account.upload(on([{ ...gift, text: 'gift', date: '2026-11-23' }], { from: '2026-11-23' }));
  expect([paid(account), account.questions()]).toEqual([[0n, cents], []]);
});

test('a decision moves to no line if two have its reference and amount', () => {
  const account = play(on([gift], { kind: '054' }));
  account.decide(key(account, 'REF-1'), link);
  account.upload(
    on([
      { ...gift, text: 'one' },
      { ...gift, text: 'two' },
    ]),
  );
  expect([paid(account), account.questions()]).toEqual([[0n, 0n], [`${day} decision_without_line`]]);
});

test('a decision moves to none of two equal lines', () => {
  const account = play(on([gift], { kind: '054' }));
  account.decide(key(account, 'REF-1'), link);
  account.upload(
    on([
      { ...gift, text: 'equal' },
      { ...gift, text: 'equal' },
    ]),
  );
  expect([paid(account), account.questions()]).toEqual([[0n, 0n], [`${day} decision_without_line`]]);
});

test('a decision does not move to a line that has its own', () => {
  const two = [gift, { ...gift, text: 'another' }];
  const account = play(on(two, { sequence: 1, madeAt: '2026-11-21T05:00:00Z' }));
  for (const { key: own } of account.lines()) account.decide(own, link);
  account.upload(on([gift], { sequence: 1, madeAt: '2026-11-21T06:00:00Z' }));
  expect([paid(account), account.questions()]).toEqual([[0n, cents], [`${day} decision_without_line`]]);
});

test('two decisions that lost their lines do not move to one line', () => {
  const two = [gift, { ...gift, text: 'another' }];
  const account = play(on(two, { sequence: 1, madeAt: '2026-11-21T05:00:00Z' }));
  for (const { key: own } of account.lines()) account.decide(own, link);
  account.upload(on([{ ...gift, text: 'third' }], { sequence: 1, madeAt: '2026-11-21T06:00:00Z' }));
  const question = `${day} decision_without_line`;
  expect([paid(account), account.questions()]).toEqual([
    [0n, 0n],
    [question, question],
  ]);
});

test('in a closed month, a version that changes lines is a question, and the closed one stays', () => {
  const account = play(on([pay(first, 'REF-1')], { sequence: 1, madeAt: '2026-11-21T05:00:00Z' }));
  account.close(day);
  account.upload(on([pay(second, 'REF-1')], { sequence: 1, madeAt: '2026-11-21T06:00:00Z' }));
  expect([paid(account), account.questions()]).toEqual([[cents, 0n], [`${day} changed_after_close`]]);
});

test('in a closed month, a version with the same lines is no question', () => {
  const account = play(on([pay(first)], { sequence: 1, madeAt: '2026-11-21T05:00:00Z' }));
  account.close(day);
  account.upload(on([pay(first, 'REF-1')], { sequence: 1, madeAt: '2026-11-21T06:00:00Z' }));
  expect([paid(account), account.questions()]).toEqual([[cents, 0n], []]);
});

const parts = [pay(first), pay(second)];
const batch: Line = { cents: 2n * cents, reference: 'BATCH-1', date: day, text: 'collection' };
const notified = on([{ ...batch, parts }], { kind: '054' });

test('a notification supplies the parts of a batch entry', () => {
  for (const account of inBothOrders(on([batch]), notified)) {
    expect(paid(account)).toEqual([cents, cents]);
    expect(account.reconcile()).toMatchObject({ matched: 2n * cents, unexplained: 0n, isExact: true });
  }
});

test('a notification with the parts of a batch entry comes before a report without them', () => {
  for (const account of inBothOrders(on([batch], { kind: '052' }), notified)) {
    expect(paid(account)).toEqual([cents, cents]);
  }
});

test('a decision on a part that a notification supplied stays on it', () => {
  const account = play(on([batch]), notified);
  const part = account.lines().find(({ line }) => line.ids === first)!;
  account.decide(part.key, { action: 'ignore', allocations: [] });
  expect([paid(account), account.questions()]).toEqual([[0n, cents], []]);
});

test('a notification supplies no parts to a batch entry with a decision', () => {
  const account = play(on([batch]));
  account.decide(key(account, 'BATCH-1'), { action: 'ignore', allocations: [] });
  account.upload(notified);
  expect(paid(account)).toEqual([0n, 0n]);
  expect(account.reconcile()).toMatchObject({ ignored: 2n * cents, isExact: true });
});

test('a notification supplies no parts that do not add up to the batch entry', () => {
  const twice = on(
    [
      { ...batch, parts },
      { ...batch, parts },
    ],
    { kind: '054' },
  );
  expect(paid(play(on([batch]), twice))).toEqual([0n, 0n]);
});

test('a notification supplies no parts if two batch entries have its reference and amount', () => {
  const next = statementFile([{ ...batch, date: '2026-11-23' }], {
    from: '2026-11-23',
    openingCents: 2n * cents,
  });
  expect(paid(play(on([batch]), notified, next))).toEqual([0n, 0n]);
});

const withPage = (xml: string, number: number, isLast: boolean): string =>
  xml.replace(
    '</GrpHdr>',
    `<MsgPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></MsgPgntn></GrpHdr>`,
  );
const withoutBalances = (xml: string): string => xml.replace(/<Bal>.*?<\/Bal>/g, '');

test('the only page of a statement without balances is complete', () => {
  const account = play(withPage(withoutBalances(on([pay(first, 'REF-1')])), 1, true));
  expect([account.questions(), paid(account)]).toEqual([[], [cents, 0n]]);
  expect(play(withPage(withoutBalances(on([])), 1, false)).questions()).toEqual([`${day} incomplete`]);
});

test('several statements of a day with one Id may all number their only page', () => {
  const account = play(
    withPage(on([pay(first, 'REF-1')]), 1, true),
    withPage(on([pay(second, 'REF-2')], { openingCents: cents }), 1, true),
  );
  expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
});

test('the newest version of a page counts', () => {
  const form = { closingCents: 2n * cents, sequence: 1 };
  const page = (lines: Line[], number: number, hour: number): string =>
    withPage(on(lines, { ...form, madeAt: `2026-11-21T0${hour}:00:00Z` }), number, number === 2);
  for (const account of inBothOrders(
    page([pay(first, 'REF-1')], 1, 5),
    page([{ ...pay(first, 'REF-2'), cents: 7n }], 2, 5),
    page([pay(second, 'REF-2')], 2, 6),
  )) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test('wrong totals make a statement unbalanced only if it has no balances', () => {
  const totals = '<TxsSummry><TtlNtries><Sum>1.00</Sum></TtlNtries></TxsSummry>';
  const wrong = on([pay(first, 'REF-1')]).replace('\n<Ntry>', `${totals}<Ntry>`);
  expect(play(wrong).questions()).toEqual([]);
  expect(play(withoutBalances(wrong)).questions()).toEqual([`${day} unbalanced`]);
});

test('the last closing balance of a statement with several days counts', () => {
  const dated = (code: string, date: string, amount: string): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`;
  const balances = [
    dated('OPBD', day, '25.50'),
    dated('OPBD', '2026-11-19', '0.00'),
    dated('CLBD', '2026-11-19', '25.50'),
    dated('CLBD', day, '51.00'),
  ].join('');
  const lines = [pay(first, 'REF-1', '2026-11-19'), pay(second, 'REF-2')];
  const account = play(withoutBalances(statementFile(lines)).replace('\n<Ntry>', `${balances}\n<Ntry>`));
  expect(account.rows().map(({ closingCents }) => closingCents)).toEqual([cents, 2n * cents]);
  expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
});

test('a statement without balances does not hide lines of another format that has balances', () => {
  const month = withoutBalances(on([pay(first, 'REF-1')], { from: '2026-11-01', to: day }));
  for (const account of inBothOrders(month, bai2File(both, day, 0n, '0100'))) {
    expect(paid(account)).toEqual([cents, cents]);
  }
});

test('two formats with different balances are a question, and an answer chooses', () => {
  for (const account of inBothOrders(on([pay(first, 'REF-1')]), bai2File(both, day, 0n, '0100'))) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(paid(account)).toEqual([cents, 0n]);
    expect(states(account)).toContain('REF-2 proposed in_other_version');
    account.answer(day, { kind: 'all_lines', among: versions(account) });
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

const rent: Line = { ...pay('', 'RENT-1'), id: 'NOTPROVIDED', direction: 'debit' };

test('a statement that leaves the balance as it is and one that continues with its number are a question', () => {
  const files = [
    on([pay(first, 'REF-1'), rent], { sequence: 7, madeAt: '2026-11-20T12:00:00Z' }),
    on([pay(second, 'REF-2')], { sequence: 7, madeAt: '2026-11-20T18:00:00Z' }),
  ];
  for (const account of inBothOrders(...files)) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(states(account)).toContain('REF-2 proposed in_other_version');
  }
});

test('a corrected statement of several days can move a line to a later day', () => {
  const form = { from: '2026-11-17', to: '2026-11-30', sequence: 1 };
  const files = [
    on([pay(first, 'REF-1')], { ...form, madeAt: '2026-12-01T05:00:00Z' }),
    on([pay(first, 'REF-1', '2026-11-21')], { ...form, madeAt: '2026-12-01T06:00:00Z' }),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, 0n]]);
  }
});

test('numbered statements of a day without balances that repeat all earlier lines count each line once', () => {
  const files = [
    withoutBalances(on(both.slice(0, 1), { sequence: 2 })),
    withoutBalances(on(both, { sequence: 3 })),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test('a corrected opening balance that equals the old closing balance counts the lines once', () => {
  const files = [
    on([pay(first, 'REF-1')], { sequence: 8, openingCents: cents, madeAt: '2026-11-21T05:00:00Z' }),
    on([pay(first, 'REF-1')], { sequence: 8, openingCents: 0n, madeAt: '2026-11-21T06:00:00Z' }),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, 0n]]);
  }
});

test('a notification is proposed on a day whose statement has no balances, unless that has its payment', () => {
  const month = withoutBalances(on([pay(first, 'REF-1')], { from: '2026-11-01', to: day }));
  for (const account of inBothOrders(month, on(both, { kind: '054' }))) {
    expect(states(account)).toEqual(['REF-1 counted', 'REF-2 proposed possible_repeat']);
    expect([paid(account), account.replaced().length]).toEqual([[cents, 0n], 1]);
    account.decide(key(account, 'REF-2'), {
      action: 'link',
      allocations: [{ transactionId: second, cents }],
    });
    expect(paid(account)).toEqual([cents, cents]);
  }
});

/** Statements of one number on one day, the first at 12 o'clock. */
const issue = (lines: Line[], hour: number, form: StatementForm = {}): string =>
  on(lines, { sequence: 5, madeAt: `2026-11-20T${hour}:00:00Z`, ...form });
const some = both.slice(0, 1);
const [third, changed] = [900n, 10_00n].map((of) => ({ ...pay('', 'REF-3'), cents: of, id: 'NOTPROVIDED' }));

test.each([
  ['is empty', issue(both, 12), withoutBalances(issue([], 18))],
  ['lacks a line', issue(both, 12), withoutBalances(issue(some, 18))],
  ['adds a line', issue(some, 12), withoutBalances(issue(both, 18))],
  ['has other lines', withoutBalances(issue(some, 12)), withoutBalances(issue(both.slice(1), 18))],
  [
    'lacks a line of one with its Id',
    on(both, { madeAt: `${day}T12:00:00Z` }),
    withoutBalances(on(some, { madeAt: `${day}T18:00:00Z` })),
  ],
  [
    'is older than one that does not add up',
    withoutBalances(issue(some, 12)),
    issue(both, 18, { closingCents: 1n }),
  ],
])('a version without balances that %s is a question', (_, one, other) => {
  for (const account of inBothOrders(one, other)) {
    expect(account.questions()).toHaveLength(1);
    expect(states(account)).not.toContain('REF-2 counted');
  }
});

test('a version without balances that has all lines of one without balances replaces it', () => {
  const files = [withoutBalances(issue(some, 12)), withoutBalances(issue(both, 18))];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test('two statements of a day with one number, other lines and other opening balances are a question', () => {
  const files = [issue(some, 12), issue(both.slice(1), 18, { openingCents: 50_00n })];
  for (const account of inBothOrders(...files)) expect(account.questions()).toEqual([`${day} two_versions`]);
});

test.each([
  ['no balances', withoutBalances],
  ['only opening balances', withoutClosing],
])('a statement with the next number that repeats some lines is a question: %s', (_, strip) => {
  const files = [
    strip(on([...both, third!], { sequence: 2 })),
    strip(on([...both, changed!], { sequence: 3 })),
  ];
  for (const account of inBothOrders(...files)) {
    expect(account.questions()).toEqual([`${day} two_versions`]);
    expect(paid(account)).toEqual([cents, cents]);
  }
});

test('statements with opening balances alone follow each other by their lines', () => {
  const files = [
    withoutClosing(on(some, { sequence: 2 })),
    withoutClosing(on([pay(first, 'REF-1')], { sequence: 3, openingCents: cents })),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [2n * cents, 0n]]);
  }
});

test.each([
  ['repeats all of the morning', some, [], [cents, cents]],
  ['repeats some of the morning', [...some, third!], [`${day} two_versions`], [cents, 0n]],
])('a statement of the afternoon without balances that %s', (_, morning, questions, expected) => {
  const files = [
    withoutBalances(on(morning, { from: `${day}T00:00:00`, to: `${day}T12:00:00` })),
    withoutBalances(on(both, { from: `${day}T12:00:00`, to: `${day}T23:59:59` })),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([questions, expected]);
  }
});

test.each([
  ['has all lines of a better one', withoutBalances(on(some)), both],
  ['has other lines than one that does not add up', on(some, { closingCents: 1n }), both.slice(1)],
  ['lacks a line of one that does not add up', on(both, { closingCents: 1n }), some],
])('a statement without balances in another format that %s is a question', (_, better, lines) => {
  for (const account of inBothOrders(better, bai2File(lines, day, null, '0100'))) {
    expect(account.questions()).toHaveLength(1);
    expect(states(account)).not.toContain('REF-2 counted');
  }
});

test('a statement without balances that has all lines of another format counts', () => {
  for (const account of inBothOrders(withoutBalances(on(both)), bai2File(some, day, null, '0100'))) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test('without balances, a statement is incomplete if only some of its pages were issued again', () => {
  const page = (lines: Line[], number: number, hour: number, isLast: boolean): string =>
    withPage(withoutBalances(issue(lines, hour)), number, isLast);
  const old = [page([third!], 1, 12, false), page([changed!], 2, 12, false), page(some, 3, 12, true)];
  expect(play(...old).questions()).toEqual([]);
  for (const account of inBothOrders(
    ...old,
    page([third!, changed!], 1, 18, false),
    page(some, 2, 18, true),
  )) {
    expect([account.questions(), paid(account)]).toEqual([[`${day} incomplete`], [0n, 0n]]);
  }
  const whole = old.map((_, at) => page(at === 2 ? both : [], at + 1, 18, at === 2));
  expect(paid(play(...old, ...whole))).toEqual([cents, cents]);
});

test('the order of uploads does not decide which of two formats proposes a line', () => {
  const other = bai2File(both.slice(1), day, null, '0100');
  const [one, two] = [other, null].map((file) => {
    const account = play(withoutBalances(on([third!])), ...(file === null ? [] : [file]));
    account.upload(csv(second), { mapping: { ...mapping, texts: ['Text'] } });
    if (file === null) account.upload(other);
    return states(account);
  });
  expect(one).toContain('REF-2 proposed in_other_version');
  expect(two).toEqual(one);
});

test('a statement without balances is compared with all versions of another format', () => {
  const refund: Line = { ...pay(first), direction: 'debit' };
  for (const debits of [[refund], [refund, third!]]) {
    const bai2 = [bai2File(both, day, null, '0100'), bai2File(debits, day, null, '0200')];
    for (const account of inBothOrders(withoutBalances(on(both)), ...bai2)) {
      expect(account.questions()).toEqual([`${day} two_versions`]);
      expect(
        account.lines().some(({ line, state }) => line.direction === 'debit' && state === 'proposed'),
      ).toBe(true);
    }
  }
});

const withoutOpening = (xml: string): string => xml.replace(/<Bal><Tp><CdOrPrtry><Cd>OPBD.*?<\/Bal>/, '');
const returned: Line = { ...pay(first, 'RET-1', '2026-11-19'), direction: 'debit' };

test.each([
  ['a notification', on([returned], { kind: '054', from: '2026-11-19' })],
  ['another format', bai2File([pay(first, 'REF-1', '2026-11-19'), returned], '2026-11-19', null, '0100')],
])('an opening balance alone proves no day of a statement, so it does not hide lines of %s', (_, other) => {
  const lines = [pay(first, 'REF-1', '2026-11-19'), pay(second, 'REF-2')];
  const two = withoutClosing(on(lines, { from: '2026-11-19', to: day }));
  for (const account of inBothOrders(two, other)) {
    expect(states(account).find((one) => one.startsWith('RET-1 proposed'))).toBeDefined();
  }
});

test('opening balances alone do not prove all lines of several versions', () => {
  const account = new StatementDays({ contributions });
  account.remembered = 'all_lines';
  for (const [at, one] of both.entries()) account.upload(withoutClosing(on([one], { sequence: at + 2 })));
  account.upload(on([pay(first, 'REF-9')], { kind: '054' }));
  expect(states(account)).toContain('REF-9 proposed possible_repeat');
});

test.each([
  ['its lines do not explain', 200_00n, ['does_not_follow']],
  ['its lines explain', 2n * cents, []],
])('statements of a day end with a closing balance that %s', (_, closingCents, questions) => {
  const files = [
    withoutClosing(on(some, { sequence: 1 })),
    withoutBalances(on([], { sequence: 2 })),
    withoutOpening(on(both.slice(1), { sequence: 3, closingCents })),
  ];
  for (const account of inBothOrders(...files)) {
    expect(account.questions()).toEqual(questions.map((kind) => `${day} ${kind}`));
  }
});

const hours = (from: string, to: string): StatementForm => ({
  ...{ from: `${day}T${from}:00:00`, to: `${day}T${to}` },
});

test('a part of the day that starts with the balance of the day replaces the part that it repeats', () => {
  const files = [
    withoutClosing(on(some, hours('00', '12:00:00'))),
    on(both, { ...hours('12', '23:59:59'), openingCents: 0n }),
  ];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});

test('a part of the day without a closing balance shows that the next part is missing', () => {
  const files = [
    withoutClosing(on(some, hours('00', '08:00:00'))),
    on(both.slice(1), { ...hours('16', '23:59:59'), openingCents: 125_50n }),
  ];
  for (const account of inBothOrders(...files))
    expect(account.questions()).toEqual([`${day} does_not_follow`]);
});

test('a charge with a constant reference does not make statements versions of a day', () => {
  const charge: Line = { cents: 50n, direction: 'debit', text: 'fee', reference: 'FEE0001', date: day };
  const files = [
    [pay(first, 'REF-1'), pay(first, 'REF-2')],
    [pay(second, 'REF-3'), pay(second, 'REF-4')],
  ].map((lines, at) => withoutBalances(on([...lines, charge], { sequence: at + 1 })));
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [2n * cents, 2n * cents]]);
  }
});

test.each([undefined, '2026-11-21T05:00:00Z'])(
  'pages of two issues of one time are incomplete without balances: %s',
  (madeAt) => {
    const form = { sequence: 5, ...(madeAt === undefined ? {} : { madeAt }) };
    const issueOf = (...pages: Line[][]): string[] =>
      pages.map((lines, at) => withPage(withoutBalances(on(lines, form)), at + 1, at === 1));
    const account = play(...issueOf(both, [third!]), ...issueOf(some, [...both.slice(1), third!]));
    expect([account.questions(), paid(account)]).toEqual([[`${day} incomplete`], [0n, 0n]]);
  },
);

test('a page that was downloaded again with another time changes nothing', () => {
  const page = (lines: Line[], number: number, hour: number): string =>
    withPage(withoutBalances(issue(lines, hour)), number, number === 2);
  const files = [page(some, 1, 12), page(both.slice(1), 2, 12), page(some, 1, 18)];
  for (const account of inBothOrders(...files)) {
    expect([account.questions(), paid(account)]).toEqual([[], [cents, cents]]);
  }
});
