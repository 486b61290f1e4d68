import type { Response } from 'supertest';

import { sample } from '../support/full-run';
import { matchAll } from '../support/matching';
import {
  type Line,
  matched,
  statementFile,
  type StatementForm,
  statementsPath,
  upload,
  uploadAndMatch,
} from '../support/statement-files';
import { readEntries, readMoney, setUpStatements } from '../support/statement-setup';
import { until } from '../support/until';

/** Decides which lines of several files are the same payment. Contributions are 25.50 dollars. */
const setup = setUpStatements();

const amount = 25_50n;
const day = { from: '2026-11-20' };
const on = (id: string, date: string): Line => ({ cents: amount, id, reference: 'A-0001', date });
const completed = (evidence = {}): Promise<string> => setup.contributions.createCompleted('25.50', evidence);
const moneyOf = async (id: string): Promise<string> => {
  const { position, gross_amount: gross } = await readMoney(setup.company.test, id);
  return `${position} ${gross}`;
};
const put = (lines: readonly Line[], form: StatementForm = day) =>
  uploadAndMatch(setup.company.test, statementFile(lines, form));
const reasonsOf = async (fileId: string): Promise<(string | null)[]> =>
  (await readEntries(setup.company.test, fileId)).map(({ reason }) => reason).sort();

describe('a payment that one statement states without the reference of the bank', () => {
  const month = { from: '2026-11-01', to: '2026-11-30' };
  const outcomesOf = async (fileId: string): Promise<string[]> =>
    (await readEntries(setup.company.test, fileId)).map(({ outcome }) => outcome).sort();

  test.each(sample([true, false], 1))('counts once (the reference comes first: %s)', async (isFirst) => {
    const id = await completed();
    const putNamed = () => put([on(id, '2026-11-20')]);
    const putPlain = () => put([{ cents: amount, id, date: '2026-11-20' }], month);
    const files = isFirst ? [await putNamed(), await putPlain()] : [await putPlain(), await putNamed()];
    const [named, plain] = (isFirst ? files : files.reverse()).map((file) => file.file_id) as [
      string,
      string,
    ];
    await matchAll(setup.service);
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect([await outcomesOf(named), await outcomesOf(plain)]).toEqual([['matched'], ['proposed']]);
    await setup.company.test.post(`${statementsPath}/${named}/void`, { reason: 'wrong' }).expect(200);
    await matchAll(setup.service);
    expect([await moneyOf(id), await outcomesOf(plain)]).toEqual(['matched 25.50', ['matched']]);
  });

  test('as a part of a batch entry counts once', async () => {
    const ids = [await completed(), await completed()];
    const batch = {
      cents: 2n * amount,
      date: '2026-11-20',
      parts: ids.map((id) => ({ cents: amount, id })),
    };
    await put([{ ...batch, reference: 'BATCH-1' }]);
    await put([batch], month);
    for (const id of ids) expect(await moneyOf(id)).toBe('matched 25.50');
  });

  test('counts twice if the statements do not overlap, or one has both', async () => {
    const [apart, together] = [await completed(), await completed()];
    await put([on(apart, '2026-11-20')]);
    await put([{ cents: amount, id: apart, date: '2026-11-21' }], { from: '2026-11-21' });
    const both = [on(together, '2026-11-22'), { cents: amount, id: together, date: '2026-11-22' }];
    await put(both, { from: '2026-11-22' });
    await put([...both, { cents: 1n, text: 'fee' }], { from: '2026-11-22', to: '2026-11-23' });
    expect([await moneyOf(apart), await moneyOf(together)]).toEqual(['duplicate 51.00', 'duplicate 51.00']);
  });
});

describe('a line that is dated outside the period of its statement', () => {
  test.each(sample([false, true], 1))(
    'is a possible repeat of the line of that day (reverse: %s)',
    async (isReverse) => {
      const id = await completed();
      const ofDay = [on(id, '2026-11-19')];
      const ofTwoDays = [...ofDay, { cents: 5_00n, text: 'other', date: '2026-11-20' }];
      const uploads = [
        () => put(ofDay, { from: '2026-11-19' }),
        () => put(ofTwoDays, { from: '2026-11-20' }),
      ];
      const files = [];
      for (const next of isReverse ? uploads.reverse() : uploads) files.push(await next());
      expect(await moneyOf(id)).toBe('matched 25.50');
      const messages = files.flatMap(({ problems }) => problems);
      expect(messages).toEqual([
        { line: expect.any(Number), message: 'Entries are dated outside the period of the statement' },
      ]);
    },
  );
});

describe('a payment that the bank books again under its first reference', () => {
  const again: StatementForm = { ...day, openingCents: 1_000_000_00n + amount };
  const first = (id: string, form: StatementForm = {}) =>
    put([on(id, '2026-11-19')], { from: '2026-11-19', ...form });
  const reversal = (id: string): Line => ({
    ...on(id, '2026-11-19'),
    direction: 'debit',
    returnCode: 'AC04',
  });

  test.each(sample([true, false], 1))(
    'counts twice if the second entry has no date (reverse: %s)',
    async (isReverse) => {
      const id = await completed();
      const undated = statementFile([on(id, '2026-11-20')], again).replace(/<BookgDt>.*<\/BookgDt>/, '');
      const puts = [() => first(id), () => uploadAndMatch(setup.company.test, undated)];
      for (const next of isReverse ? puts.reverse() : puts) await next();
      expect(await moneyOf(id)).toBe('duplicate 51.00');
    },
  );

  // The data does not distinguish it from a statement that was issued again.
  test('counts once with its first date, so the payment is returned', async () => {
    const id = await completed();
    await first(id, { sequence: 11 });
    const { problems } = await put([reversal(id), on(id, '2026-11-19')], { ...again, sequence: 12 });
    expect(await moneyOf(id)).toBe('returned 25.50');
    expect(problems).toEqual([
      {
        line: expect.any(Number),
        message: 'Entries are dated outside the period of the numbered statement, but they count',
      },
    ]);
  });

  test.each<[string, StatementForm, StatementForm]>([
    ['the statements start with the same balance', { sequence: 11 }, { ...day, sequence: 13 }],
    ['the statements are numbered', { sequence: 11 }, { ...again, sequence: 12 }],
    ['the second statement may state the first day', {}, again],
  ])('counts once with its first date if %s', async (_, one, other) => {
    const id = await completed();
    await first(id, one);
    await put([on(id, '2026-11-19')], other);
    expect(await moneyOf(id)).toBe('matched 25.50');
  });
});

test.each(sample([true, false], 1))(
  'a numbered notification that dates a payment outside its period counts once (it comes first: %s)',
  async (isFirst) => {
    const id = await completed();
    const puts = [
      () => put([on(id, '2026-11-10')], { ...day, kind: '054', sequence: 5 }),
      () => put([{ ...on(id, '2026-11-10'), reference: 'B-0001' }], { from: '2026-11-10' }),
    ];
    for (const next of isFirst ? puts : puts.reverse()) await next();
    await matchAll(setup.service);
    expect(await moneyOf(id)).toBe('matched 25.50');
  },
);

test.each([
  ['a reference', true],
  ['a reference', false],
  ['no reference', true],
  ['no reference', false],
] as const)(
  'an entry without a date and with %s counts once beside a month without references (it comes first: %s)',
  async (given, isFirst) => {
    const id = await completed();
    const line = given === 'a reference' ? on(id, '2026-11-20') : { cents: amount, id };
    const undated = statementFile([line], day).replace(/<BookgDt>.*<\/BookgDt>/, '');
    const puts = [
      () => uploadAndMatch(setup.company.test, undated),
      () => put([{ cents: amount, id, date: '2026-11-20' }], { from: '2026-11-01', to: '2026-11-30' }),
    ];
    for (const next of isFirst ? puts : puts.reverse()) await next();
    await matchAll(setup.service);
    expect(await moneyOf(id)).toBe('matched 25.50');
  },
);

describe('a line without a reference in a statement with the next number', () => {
  const numbered = (id: string, sequence: number, openingCents: bigint) =>
    put([{ cents: amount, id }], { ...day, sequence, openingCents });

  test.each([
    [1, 2],
    [2, 1],
  ])('is a possible repeat if it starts with the same balance (%i before %i)', async (one, other) => {
    const id = await completed();
    const files = [await numbered(id, one, 100_00n), await numbered(id, other, 100_00n)];
    expect(await moneyOf(id)).toBe('matched 25.50');
    for (const { file_id: fileId } of files) {
      expect(await reasonsOf(fileId)).toEqual([null, 'possible_repeat']);
    }
  });

  test('is another payment if it starts with the closing balance', async () => {
    const id = await completed();
    await numbered(id, 1, 100_00n);
    await numbered(id, 2, 100_00n + amount);
    expect(await moneyOf(id)).toBe('duplicate 51.00');
  });

  test('is another payment if one of several statements has both', async () => {
    const id = await completed();
    await numbered(id, 1, 100_00n);
    const both = { cents: amount, id };
    await put([both, both], { ...day, sequence: 2, openingCents: 100_00n, closingCents: 151_00n });
    expect(await moneyOf(id)).toBe('duplicate 51.00');
  });
});

describe('a numbered statement of the whole day', () => {
  const opening = 1_000_000_00n;
  const line = (id: string, reference: string | undefined): Line =>
    reference === undefined ? { cents: amount, id } : { ...on(id, '2026-11-20'), reference };
  const halves = {
    'by their times': [
      { from: '2026-11-20T00:00:00', to: '2026-11-20T12:00:00' },
      { from: '2026-11-20T12:00:00', to: '2026-11-21T00:00:00' },
    ],
    'by their numbers': [
      { ...day, sequence: 1 },
      { ...day, sequence: 2 },
    ],
  };

  async function sumsOf(
    [morning, afternoon]: readonly StatementForm[],
    [ofHalf, ofDay]: readonly (readonly [string?, string?])[],
    isDayFirst: boolean,
  ): Promise<string[]> {
    const ids = [await completed(), await completed()] as [string, string];
    const puts = [
      () => put([line(ids[0], ofHalf?.[0])], { ...morning, openingCents: opening }),
      () => put([line(ids[1], ofHalf?.[1])], { ...afternoon, openingCents: opening + amount }),
      () => put([line(ids[0], ofDay?.[0]), line(ids[1], ofDay?.[1])], { ...day, sequence: 3 }),
    ];
    for (const next of isDayFirst ? puts.reverse() : puts) await next();
    await matchAll(setup.service);
    return Promise.all(ids.map(moneyOf));
  }
  const named = ['A-0001', 'A-0002'] as const;
  const unnamed = [] as const;
  const once = ['matched 25.50', 'matched 25.50'];

  test.each(sample([true, false], 1))(
    'counts once beside two halves with references (first: %s)',
    async (isFirst) => {
      for (const ofDay of Object.values(halves)) {
        expect(await sumsOf(ofDay, [named, named], isFirst)).toEqual(once);
        await setup.renewCompany();
      }
    },
  );

  test.each(sample([true, false], 1))(
    'counts once beside two halves without references (first: %s)',
    async (isFirst) => {
      expect(await sumsOf(halves['by their times'], [unnamed, unnamed], isFirst)).toEqual(once);
    },
  );

  test.each(sample([true, false], 1))(
    'counts once if only one side has references (first: %s)',
    async (isFirst) => {
      for (const forms of [
        [named, unnamed],
        [unnamed, named],
      ] as const) {
        expect(await sumsOf(halves['by their times'], forms, isFirst)).toEqual(once);
        await setup.renewCompany();
      }
    },
  );
});

describe('numbered statements of a day that start with the same balance', () => {
  const putNumbered = (
    lines: readonly Line[],
    sequence: number,
    openingCents: bigint,
    closingCents: bigint,
  ) => put(lines, { ...day, sequence, openingCents, closingCents });
  const sweep = (cents: bigint): Line => ({ cents, direction: 'debit', text: 'sweep' });

  test.each([
    ['twice in full', '25.50', 'duplicate 51.00'],
    ['in two halves', '51.00', 'matched 51.00'],
  ])(
    'contain two payments if a statement between them empties the account (paid %s)',
    async (_, total, expected) => {
      const id = await setup.contributions.createCompleted(total);
      const swept = { cents: amount, id };
      await putNumbered([swept], 1, 0n, amount);
      await putNumbered([swept], 3, 0n, amount);
      await putNumbered([sweep(amount)], 2, amount, 0n);
      expect(await moneyOf(id)).toBe(expected);
    },
  );

  test.each([
    [1, 2],
    [2, 1],
  ])('count a line once if one omits its reference (number %i first)', async (one, other) => {
    const id = await completed();
    const lines = [
      { cents: amount, id, reference: 'A-0001' },
      { cents: amount, id },
    ];
    for (const sequence of [one, other]) await putNumbered([lines[sequence - 1]!], sequence, 0n, amount);
    await matchAll(setup.service);
    expect(await moneyOf(id)).toBe('matched 25.50');
  });

  test('do not prove a second payment if the next number states another date', async () => {
    const id = await completed();
    await putNumbered([{ cents: amount, id, reference: 'A-0001', date: '2026-11-20' }], 1, 0n, amount);
    await putNumbered([{ cents: amount, id, reference: 'A-0001', date: '2026-11-19' }], 2, 0n, amount);
    expect(await moneyOf(id)).toBe('matched 25.50');
  });

  test('are two payments with one reference if a statement between them empties the account', async () => {
    const id = await completed();
    await putNumbered([{ cents: amount, id, reference: 'A-0001', date: '2026-11-20' }], 1, 0n, amount);
    await putNumbered([sweep(amount)], 2, amount, 0n);
    await putNumbered([{ cents: amount, id, reference: 'A-0001', date: '2026-11-19' }], 3, 0n, amount);
    expect(await moneyOf(id)).toBe('duplicate 51.00');
  });
});

describe('a reference of the bank', () => {
  test.each(
    sample(['NONREF', 'NOTPROVIDED', 'N/A0', 'n/a', '00000000', 'No Reference', 'NREF', 'TRANSFER'], 1),
  )('that is not unique (%s) does not make two payments one', async (reference) => {
    const [one, other] = [await completed(), await completed()];
    await put([{ cents: amount, id: one, reference }], { ...day, sequence: 1 });
    await put([{ cents: amount, id: other, reference }], { ...day, sequence: 2 });
    expect([await moneyOf(one), await moneyOf(other)]).toEqual(['matched 25.50', 'matched 25.50']);
  });

  test('is used again on another day', async () => {
    const id = await completed();
    const dates = ['2026-11-20', '2026-11-21'];
    for (const date of dates) await put([on(id, date)], { from: date });
    expect(await moneyOf(id)).toBe('duplicate 51.00');
    await put(
      dates.map((date) => on(id, date)),
      { from: '2026-11-16', to: '2026-11-22' },
    );
    expect(await moneyOf(id)).toBe('duplicate 51.00');
  });

  test('counts once if statements that overlap date it differently', async () => {
    const id = await completed();
    await put([on(id, '2026-11-20')], { from: '2026-11-01', to: '2026-11-30' });
    const { file_id: fileId } = await put([on(id, '2026-11-21')], { from: '2026-11-21' });
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect(await reasonsOf(fileId)).toEqual([null, 'possible_repeat']);
  });

  test.each([
    ['the day in UTC', '<DtTm>2026-11-21T01:30:00Z</DtTm>'],
    ['the day of the notification', '<Dt>2026-11-23</Dt>'],
    ['no day', ''],
  ])('counts once if a notification states %s', async (_, stated) => {
    const id = await completed();
    const lines = [{ cents: amount, id, reference: 'A-0001' }];
    const notification = statementFile(lines, { ...day, kind: '054' }).replace(
      '<BookgDt><Dt>2026-11-20</Dt></BookgDt>',
      stated === '' ? '<ValDt><Dt>2026-11-20</Dt></ValDt>' : `<BookgDt>${stated}</BookgDt>`,
    );
    await uploadAndMatch(setup.company.test, notification);
    const { file_id: fileId } = await put(lines);
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect(await readEntries(setup.company.test, fileId)).toMatchObject([
      { outcome: 'matched', booking_date: '2026-11-20' },
    ]);
  });

  test('finds the contributions that the bank completed under it', async () => {
    const ids = [
      await completed({ bank_reference: 'FT-2026-7' }),
      await completed({ bank_reference: 'FT-2026-7' }),
    ];
    await put([{ cents: 2n * amount, reference: 'FT-2026-7' }]);
    expect(await Promise.all(ids.map(moneyOf))).toEqual(['matched 25.50', 'matched 25.50']);
  });
});

describe('a line without a reference of the bank', () => {
  test.each(sample(['DUPL', 'CODU'], 1))(
    'counts once in a duplicate (%s) with a number of its own',
    async (indicator) => {
      const id = await completed();
      const file = (sequence: number) => statementFile([{ cents: amount, id }], { ...day, sequence });
      await uploadAndMatch(setup.company.test, file(11));
      const duplicate = file(12).replace('<Acct>', `<CpyDplctInd>${indicator}</CpyDplctInd><Acct>`);
      expect(duplicate).not.toBe(file(12));
      await uploadAndMatch(setup.company.test, duplicate);
      expect(await moneyOf(id)).toBe('matched 25.50');
    },
  );

  const month = [
    { cents: 1_00n, date: '2026-11-02' },
    { cents: 1_00n, date: '2026-11-25' },
  ];

  test.each<[string, StatementForm]>([
    ['no period', { sequence: 250 }],
    ['a period', { ...day, sequence: 250 }],
  ])('counts once in a numbered month without a period and a day with %s', async (_, form) => {
    const id = await completed();
    const line = { cents: amount, text: `Gift ${id}` };
    await put([line, ...month], { sequence: 11 });
    const { file_id: fileId } = await put([line], form);
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect(await reasonsOf(fileId)).toEqual([null, 'possible_repeat']);
  });

  test('counts once in parts of a day that are stated in UTC, because they may overlap', async () => {
    const id = await completed();
    const line = { cents: amount, text: `Gift ${id}` };
    await put([line], { from: '2026-11-21T01:00:00Z', to: '2026-11-21T05:00:00Z' });
    await put([line]);
    expect(await moneyOf(id)).toBe('matched 25.50');
  });

  test('is the same payment in a notification and a statement, whatever their texts', async () => {
    const id = await completed();
    await put([{ cents: amount, id }], { ...day, kind: '054' });
    const { file_id: fileId } = await put([{ cents: amount, text: `Gift ${id}` }]);
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect(await reasonsOf(fileId)).toEqual([null]);
  });
});

describe('the parts of a batch entry', () => {
  const other = 30_00n;
  const batch = (parts: readonly Line[], reference = 'BATCH-77'): Line => ({
    cents: parts.reduce((sum, { cents }) => sum + cents, 0n),
    reference,
    parts: [...parts],
  });

  test('count once if a notification wraps their texts in another way', async () => {
    const ids = [await completed(), await completed()];
    const parts = ids.map((id) => ({ cents: amount, text: `Donation ${id}` }));
    const wrapped = ids.map((id) => ({
      cents: amount,
      text: `Donation ${id.slice(0, 8)}</Ustrd><Ustrd>${id.slice(8)}`,
    }));
    await put([batch(parts)], { ...day, kind: '054' });
    const { file_id: fileId } = await put([batch(wrapped)]);
    expect(await Promise.all(ids.map(moneyOf))).toEqual(['matched 25.50', 'matched 25.50']);
    expect(await reasonsOf(fileId)).toEqual([null, null]);
  });

  test('count once if only one of two statements has an id, in any order', async () => {
    const evidence = { bank_reference: 'FT-9001' };
    const ids = [await completed(evidence), await completed()];
    const [first = '', second = ''] = ids;
    // The notification has the id, the statement has the reference of the completion.
    const files = [
      statementFile(
        [
          batch([
            { cents: amount, id: first },
            { cents: amount, id: second },
          ]),
        ],
        {
          ...day,
          kind: '054',
        },
      ),
      statementFile(
        [
          batch([
            { cents: amount, id: 'FT-9001' },
            { cents: amount, id: second },
          ]),
        ],
        day,
      ),
    ];
    for (const file of files) await uploadAndMatch(setup.company.test, file);
    expect(await Promise.all(ids.map(moneyOf))).toEqual(['matched 25.50', 'matched 25.50']);
  });

  test.each(sample([false, true], 1))(
    'are those of one statement if two split the entry differently (final first: %s)',
    async (isFinalFirst) => {
      const ids = [await completed(), await completed()];
      const [first = '', second = ''] = ids;
      const one = batch([
        { cents: amount, id: first },
        { cents: other, id: second },
      ]);
      const split = batch([
        { cents: other, id: first },
        { cents: amount, id: second },
      ]);
      const puts = [() => put([split], { ...day, kind: '054' }), () => put([one])];
      for (const upload of isFinalFirst ? [...puts].reverse() : puts) await upload();
      expect(await Promise.all(ids.map(moneyOf))).toEqual(['matched 25.50', 'over 30.00']);
    },
  );

  test('count again after the file that replaced them is voided', async () => {
    const id = await completed();
    const rest = { cents: other, text: 'rent' };
    await put([batch([{ cents: amount, id }, rest])], { ...day, kind: '054' });
    const { file_id: fileId } = await put([
      batch([
        { cents: amount, id },
        { cents: 10_00n, id },
        { cents: 20_00n, text: 'rent' },
      ]),
    ]);
    expect(await moneyOf(id)).toBe('over 35.50');
    await setup.company.test.post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' }).expect(200);
    await matched(setup.company.test, fileId);
    await until('the notification counts again', async () => (await moneyOf(id)) === 'matched 25.50');
  });

  test('count if only the notification has all of them', async () => {
    const ids = [await completed(), await completed()];
    const parts = ids.map((id) => ({ cents: amount, id }));
    const cut = statementFile([{ ...batch(parts), parts: parts.slice(0, 1) }], day);
    const stated = cut.replace('<NtryDtls>', '<NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>');
    const { file_id: fileId } = await uploadAndMatch(setup.company.test, stated);
    expect(await Promise.all(ids.map(moneyOf))).toEqual(['unconfirmed 0.00', 'unconfirmed 0.00']);
    await put([batch(parts)], { ...day, kind: '054' });
    expect(await Promise.all(ids.map(moneyOf))).toEqual(['matched 25.50', 'matched 25.50']);
    expect(await reasonsOf(fileId)).toEqual([]);
  });

  test('count for each day if the bank uses its reference again', async () => {
    const ids = [await completed(), await completed()];
    const dates = ['2026-11-20', '2026-11-21'];
    for (const [at, id] of ids.entries()) {
      const date = dates[at]!;
      await put(
        [
          {
            ...batch([
              { cents: amount, id },
              { cents: other, text: 'rent' },
            ]),
            date,
          },
        ],
        { from: date },
      );
    }
    expect(await Promise.all(ids.map(moneyOf))).toEqual(['matched 25.50', 'matched 25.50']);
  });
});

describe('an account', () => {
  test('that a file states cannot have another name', async () => {
    const file = statementFile([{ cents: 1n, reference: 'R-1000' }], day);
    const refused = await upload(setup.company.test, file, '?account=main').expect(422);
    expect((refused.body as { detail: string }).detail).toMatch('The file states its account number.');
  });

  test('is the same with and without leading zeros', async () => {
    const id = await completed();
    for (const account of ['123456789', '000123456789']) await put([on(id, day.from)], { ...day, account });
    expect(await moneyOf(id)).toBe('matched 25.50');
  });
});

test('money that came back after a return counts once if a statement has it', async () => {
  const id = await completed();
  const path = `/company/integration/contributions/${id}/returns`;
  const recorded: Response = await setup.company.test
    .post(path, { kind: 'return', amount: '25.50', bank_reference: 'RT-1000' })
    .expect(201);
  const { return_id: returnId } = recorded.body as { return_id: string };
  await setup.company.test
    .post(`${path}/${returnId}/undo`, {
      reason: 'paid_again',
      amount: '25.50',
      bank_reference: 'PA-1000',
    })
    .expect(201);
  await put([on(id, day.from)]);
  await put([{ cents: amount, id, reference: 'PA-1000', date: '2026-11-21' }], { from: '2026-11-21' });
  expect(await moneyOf(id)).toBe('matched 51.00');
});

test('an account is the same in BAI2 and camt, with spaces or in lower case', async () => {
  const id = await completed();
  const bai2 = (account: string): string =>
    `01,BANK,CUST,261120,0100,1,80,1,2/\n02,CUST,BANK,1,261120,2359,USD,2/\n03,${account},USD,,,,/
16,165,2550,Z,R-0001,,${id}\n49,2550,3/\n98,2550,1,5/\n99,2550,1,7/\n`;
  const accountOf = async (content: string): Promise<string | undefined> =>
    (await uploadAndMatch(setup.company.test, content)).statements[0]?.account_id;
  const line = { cents: amount, id, reference: 'R-0001' };
  const account = await accountOf(statementFile([line], { ...day, account: 'US12 3456 ABCD' }));
  expect(await accountOf(bai2(' us123456abcd'))).toBe(account);
  expect(await accountOf(bai2('US12 3456 abcd '))).toBe(account);
  await until('all are matched', async () => (await moneyOf(id)) === 'matched 25.50');
});

test('the name of an account is the same in upper and lower case', async () => {
  const mapping = JSON.stringify({ date: 'Date', amount: 'Amount', texts: ['Text'] });
  const query = (account: string): string =>
    `?account=${encodeURIComponent(account)}&mapping=${encodeURIComponent(mapping)}`;
  const id = await completed();
  const csv = `Date,Amount,Text\n2026-11-20,25.50,${id}\n`;
  const { statements } = await uploadAndMatch(setup.company.test, csv, query('Main'));
  const again = await uploadAndMatch(setup.company.test, csv.replaceAll('\n', '\r\n'), query('main'));
  expect(again.statements).toMatchObject([{ account_id: statements[0]?.account_id }]);
  expect(await moneyOf(id)).toBe('matched 25.50');
});
