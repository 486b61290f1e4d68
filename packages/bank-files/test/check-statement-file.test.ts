import { readFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';

import { longTest, randomCases } from '../../../test/support/full-run';
import { type CheckedFile, checkStatementFile, readStatementFile } from '../src';
import { parseStatementCents } from '../src/statement-file';
import { bai2, camt, type CamtForm, closingOf, type Payment } from './generate';
import { ids, scheme } from './ids';

const [id = '', other = ''] = ids;
const wrongId = id.slice(0, -1) + (id.endsWith('7') ? '8' : '7');

const check = (content: string | Uint8Array): CheckedFile =>
  checkStatementFile(typeof content === 'string' ? Buffer.from(content) : content, { ids: scheme });
const credit = (cents: bigint, text: string, more: Partial<Payment> = {}): Payment => ({
  cents,
  direction: 'credit',
  text,
  ...more,
});
const outcomesOf = ({ entries }: CheckedFile): string[] => entries.map(({ outcome }) => outcome);

describe('samples of other parsers', () => {
  const sample = (name: string): CheckedFile => check(readFileSync(path.join(__dirname, 'samples', name)));

  test.each([
    ['genkgo-camt052.v8.xml', 'camt.052', '08', [20_000_000n, 'debit', 'SEK', '2007-10-18']],
    ['genkgo-camt053.v4.xml', 'camt.053', '04', [885n, 'credit', 'EUR', '2014-12-31']],
    ['genkgo-camt053.v8.xml', 'camt.053', '08', [885n, 'credit', 'EUR', '2014-12-31']],
    ['genkgo-camt054.v8.xml', 'camt.054', '08', [20_000_000n, 'debit', 'SEK', '2007-10-18']],
  ])('%s is %s version %s', (name, format, version, expected) => {
    const file = sample(name);
    expect([file.format, file.version]).toEqual([format, version]);
    const [entry] = file.entries;
    expect([entry?.amountCents, entry?.direction, entry?.currency, entry?.bookingDate]).toEqual(expected);
    expect(entry?.outcome).toBe('other_currency');
  });

  test('a camt.053 with two statements balances in each', () => {
    const { statements } = sample('genkgo-camt053.v2.multi.statement.xml');
    expect(statements.map(({ id: name, balance }) => [name, balance])).toEqual([
      ['253EURNL26VAYB8060476890', 'balanced'],
      ['254EURNL26VAYB8060476890', 'balanced'],
    ]);
  });

  test('the control totals of BAI2 hold, also with funds types S, V and D and split summaries', () => {
    expect(sample('moov-sample1.bai2').problems).toEqual([]);
    const { problems, entries } = sample('moov-sample2.bai2');
    expect(problems).toEqual([]);
    expect(entries.map(({ amountCents, bankReference }) => [amountCents, bankReference])).toEqual([
      [450_000n, null],
      [500_000n, null],
      [20_000_000n, 'SP4738'],
      [10_000_000n, null],
    ]);
  });

  test('wrong control totals of BAI2 are named by line', () => {
    const { problems } = sample('moov-sample4.bai2');
    expect(problems).toContainEqual({ line: 22, message: 'In record 49, the counts should be 18' });
  });
});

describe.each<[string, (payments: readonly Payment[]) => string]>([
  ...[2, 4, 6, 7, 8, 14].flatMap((version) =>
    (['052', '053', '054'] as const).map((kind): [string, (payments: readonly Payment[]) => string] => [
      `camt.${kind} version ${version}`,
      (payments) => camt(payments, { kind, version }),
    ]),
  ),
  ['BAI2', (payments) => bai2(payments)],
])('generated %s', (_format, write) => {
  const payment = fc.record<Payment>({
    cents: fc.bigInt({ min: 1n, max: 10n ** 11n }),
    direction: fc.constantFrom('credit', 'debit'),
    text: fc
      .tuple(fc.stringMatching(/^[a-z &<]{0,40}$/), fc.constantFrom(...ids))
      .map(([before, reference]) => `${before} ${reference} thanks`),
  });

  test('has every amount, direction and id, and the balances match', () => {
    fc.assert(
      fc.property(fc.array(payment, { maxLength: 20 }), (payments) => {
        const file = check(write(payments));
        expect(file.problems).toEqual([]);
        expect(file.entries.map(({ amountCents, direction }) => [amountCents, direction])).toEqual(
          payments.map(({ cents, direction }) => [cents, direction]),
        );
        expect(file.entries.map(({ ids: found }) => found)).toEqual(
          payments.map(({ text }) => [text.split(' ').at(-2)]),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('one entry', () => {
  const batch = (cents: bigint): Payment =>
    credit(cents, '', { parts: [credit(1000n, id), credit(2500n, '', { endToEndId: other })] });

  test('parts replace a batch entry if they sum to it', () => {
    const { entries } = check(camt([batch(3500n)]));
    expect(entries.map(({ amountCents, ids: found }) => [amountCents, found])).toEqual([
      [1000n, [id]],
      [2500n, [other]],
    ]);
  });

  test('parts that do not sum to their entry are not used', () => {
    const { entries } = check(camt([batch(3501n)]));
    expect(entries).toMatchObject([{ outcome: 'sums_differ', amountCents: 3501n, ids: [] }]);
  });

  test('a single detail with another amount is not used', () => {
    for (const version of [2, 8]) {
      const single = (cents: bigint, more: Partial<Payment> = {}) =>
        check(camt([credit(7500n, '', { parts: [credit(cents, id, more)] })], { version })).entries;
      expect(single(7500n)).toMatchObject([{ outcome: 'found', ids: [id] }]);
      for (const cents of [2500n, 10_000n]) {
        expect(single(cents)).toMatchObject([{ outcome: 'sums_differ', amountCents: 7500n, ids: [] }]);
      }
      // The amount before its conversion.
      expect(single(2500n, { currency: 'EUR' })).toMatchObject([{ outcome: 'found' }]);
    }
  });

  test('a single detail may have the amount before the charges of the entry', () => {
    const charges =
      '<Chrgs><Rcrd><Amt Ccy="USD">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs><NtryDtls>';
    const file = camt([credit(2400n, '', { parts: [credit(2500n, id)] })]).replace('<NtryDtls>', charges);
    expect(check(file).entries).toMatchObject([{ outcome: 'found', ids: [id] }]);
    // Banks on the way deducted charges from the amount of the payer.
    const instructed = camt([credit(2400n, '', { parts: [credit(2500n, id)] })], { version: 2 });
    expect(check(instructed.replaceAll('TxAmt', 'InstdAmt')).entries).toMatchObject([{ outcome: 'found' }]);
  });

  test.each<[string, Payment]>([
    ['found', credit(1n, id)],
    ['several_references', credit(1n, `${id} ${other}`)],
    ['wrong_check_character', credit(1n, wrongId)],
    ['no_reference', credit(1n, 'SALARY')],
    ['other_currency', credit(1n, id, { currency: 'EUR' })],
    ['not_booked', credit(1n, id, { status: 'PDNG' })],
  ])('has the outcome %s', (outcome, payment) => {
    const file = check(camt([payment]));
    expect(outcomesOf(file)).toEqual([outcome]);
    expect(file.problems).toEqual([]);
  });

  test('a return has its code', () => {
    const { entries } = check(camt([credit(1n, id, { direction: 'debit', returnCode: 'AC04' })]));
    expect(entries).toMatchObject([{ outcome: 'found', direction: 'debit', returnCode: 'AC04' }]);
  });

  test.each(['1.005', '-1.00', '1e3', '', '1'.repeat(19), '1,00', 'NaN'])(
    'the amount %j makes only this entry unreadable',
    (text) => {
      const content = camt([credit(123_456n, id), credit(5n, other)]);
      const file = check(content.replaceAll('1234.56', text));
      expect(outcomesOf(file)).toEqual(['unreadable', 'found']);
      expect(file.statements.map(({ balance }) => balance)).toEqual(['not_checked']);
    },
  );

  test.each([
    ['two amounts', '<Amt Ccy="USD">99.00</Amt>', 'the amount is missing, ambiguous'],
    ['two directions', '<CdtDbtInd>DBIT</CdtDbtInd>', 'CdtDbtInd is missing, ambiguous'],
  ])('with %s is unreadable', (_what, added, detail) => {
    for (const place of ['<Ntry>', '</Ntry>']) {
      const changed = place === '<Ntry>' ? place + added : added + place;
      const { entries } = check(camt([credit(1n, id)]).replace(place, changed));
      expect(entries).toMatchObject([{ outcome: 'unreadable', amountCents: null, ids: [] }]);
      expect(entries[0]?.detail).toContain(detail);
    }
  });

  test('with an element within its amount is unreadable', () => {
    const file = check(camt([credit(1050n, id)]).replaceAll('10.50', '1<a/>0.50'));
    expect(outcomesOf(file)).toEqual(['unreadable']);
  });

  test('ignores elements of other namespaces', () => {
    const added = '<x:Amt xmlns:x="urn:other" Ccy="USD">99.00</x:Amt>';
    const { entries } = check(camt([credit(1n, id)]).replace('<Ntry>', `<Ntry>${added}`));
    expect(entries).toMatchObject([{ outcome: 'found', amountCents: 1n, ids: [id] }]);
  });

  test('with a part that has two amounts does not use its parts', () => {
    const content = camt([batch(3500n)]).replace('<TxDtls>', '<TxDtls><Amt Ccy="USD">10.00</Amt>');
    expect(outcomesOf(check(content))).toEqual(['sums_differ']);
  });

  test('two closing balances that differ are a problem', () => {
    const added = `<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
    const { problems } = check(camt([credit(1n, id)]).replace('<Ntry>', `${added}<Ntry>`));
    expect(problems).toMatchObject([{ message: 'The statement has two closing balances' }]);
  });

  test('a wrong closing balance is found', () => {
    const payments = [credit(1n, id)];
    const message = 'The opening balance and the booked entries do not sum to the closing balance';
    const closing = closingOf(payments) + 1n;
    expect(check(camt(payments, { closing })).problems).toEqual([{ line: 3, message }]);
    expect(check(bai2(payments, closing)).problems).toEqual([{ line: 3, message }]);
  });
});

test.each([
  ['0', 0n],
  ['0.5', 50n],
  ['+10.50000', 1050n],
  ['0010.', 1000n],
  ['.5', 50n],
  ['9999999999999.99', 999_999_999_999_999n],
  ['99999999999999.99', undefined],
  ['.', undefined],
  ['10.005', undefined],
  ['1 000', undefined],
])('the amount %j is %s cents', (text, cents) => {
  expect(parseStatementCents(text)).toBe(cents);
});

describe('a file is refused as a whole', () => {
  const good = camt([credit(1n, id)]);
  const document = (body: string): string => good.replace('<GrpHdr>', `<GrpHdr>${body}`);
  const withDoctype = (type: string): string => good.replace('<Document', `${type}<Document`);
  const limit = 16 * 1024 * 1024;

  test.each<[string, string | Uint8Array, RegExp]>([
    ['empty', '', /empty/],
    ['not a statement', 'name,amount\na,1\n', /is not camt/],
    ['another XML document', '<feed></feed>', /no statement/],
    ['entities', withDoctype('<!DOCTYPE a [<!ENTITY b "c">]>'), /Document type/],
    ['an external entity', withDoctype('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'), /Document/],
    [
      'a parameter entity',
      withDoctype('<!DOCTYPE a [<!ENTITY % b SYSTEM "http://x/">%b;]>'),
      /Document type/,
    ],
    ['an undefined entity', document('<a>&bomb;</a>'), /not well-formed/],
    ['deep nesting', document('<a>'.repeat(20_000)), /deeper than 32/],
    ['an unclosed tag', document('<a>'), /not well-formed/],
    ['an undeclared prefix', document('<x:a/>'), /not well-formed/],
    ['two roots', `${good}<Document/>`, /not well-formed/],
    ['a duplicate attribute', document('<a b="1" b="2"/>'), /not well-formed/],
    ['NUL', good.replace('M1', 'M\u0000'), /not well-formed/],
    ['another encoding', good.replace('UTF-8', 'EBCDIC-US'), /declares the encoding ebcdic-us/],
    ['a wrong encoding', Buffer.from(good.replace('M1', 'é'), 'latin1'), /not encoded in utf-8/],
    ['compression', Buffer.from('1f8b080000000000', 'hex'), /compressed/],
    ['too many bytes', new Uint8Array(limit + 1), /more than 16 MiB/],
    ['an endless line', `01,${'1'.repeat(100_000)}/`, /Line 1 is too long/],
    ['an unknown record', '01,a/\n02,b/\n17,c/\n', /unknown record code "17"/],
    ['a control character as record code', '01,a/\n\u001b[2J,1/\n', /code "\?\[2J"/],
    ['a statement within a statement', good.replace('<Ntry>', '<Stmt></Stmt><Ntry>'), /contains another one/],
    [
      'messages of two formats',
      good.replace('</BkToCstmrStmt>', '</BkToCstmrStmt><BkToCstmrAcctRpt/>'),
      /two formats/,
    ],
    [
      'too many statements',
      good.replace('<Stmt>', `${'<Stmt/>'.repeat(10_001)}<Stmt>`),
      /more than 500 statements/,
    ],
    ['too many lines', `01,a/${'\n'.repeat(500_001)}`, /more than 500000 lines/],
    [
      'too many elements beside parts',
      good.replace('<Ntry>', `<Ntry><NtryDtls>${'<TxDtls/><a/>'.repeat(20_001)}</NtryDtls>`),
      /too many elements/,
    ],
    ['a record in the wrong place', '01,a/\n16,142,100/\n', /cannot follow record 01/],
  ])('with %s', (_reason, content, message) => {
    expect(() => check(content)).toThrow(message);
  });

  test('if it ends anywhere before its end', () => {
    for (const content of [good, bai2([credit(1n, id)]).trimEnd()]) {
      const bytes = Buffer.from(content);
      const end = content.startsWith('<') ? bytes.length : bytes.lastIndexOf('\n');
      for (let length = 0; length < end; length += 1) {
        expect(() => check(bytes.subarray(0, length))).toThrow();
      }
    }
  });

  longTest('not if 60,000 entries have one part each, because each counts once', () => {
    const entry = '<Ntry><Amt Ccy="USD">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><TxDtls/></Ntry>';
    const many = camt([]).replace('</Stmt>', `${entry.repeat(60_000)}</Stmt>`);
    expect(readStatementFile(Buffer.from(many)).statements[0]?.entries).toHaveLength(60_000);
    const batch = entry.replace('<TxDtls/>', '<TxDtls/><TxDtls/>');
    const batches = camt([]).replace('</Stmt>', `${batch.repeat(33_334)}</Stmt>`);
    expect(() => readStatementFile(Buffer.from(batches))).toThrow('more than 100000 entries');
  });

  longTest('if it has more than 100,000 entries', () => {
    const entry = '<Ntry/>'.repeat(100_001);
    expect(() => check(good.replace('<Ntry>', `${entry}<Ntry>`))).toThrow('more than 100000 entries');
  });
});

test.each<[string, (content: string) => string | Uint8Array]>([
  ['a byte order mark', (content) => `\uFEFF${content}`],
  [
    'a namespace prefix',
    (content) => content.replace(/<(\/?)(?=[A-Z])/g, '<$1ns:').replace('xmlns=', 'xmlns:ns='),
  ],
  ['no namespace', (content) => content.replace(/ xmlns="[^"]*"/, '')],
  [
    'ISO-8859-1',
    (content) => Buffer.from(content.replace('UTF-8', 'ISO-8859-1').replace('M1', 'é'), 'latin1'),
  ],
])('a camt file with %s is read', (_form, change) => {
  expect(check(change(camt([credit(1n, id)]))).entries).toMatchObject([{ ids: [id] }]);
});

test('wrapped text is read to its limit, so a huge one does not take minutes', () => {
  const wrapped = (text: string): string =>
    camt([credit(1n, text)]).replace(
      '<Ustrd>',
      `<Ustrd>${'a '.repeat(1_000)}</Ustrd>`.repeat(500) + '<Ustrd>',
    );
  const startedAt = process.cpuUsage();
  expect(outcomesOf(check(wrapped(id)))).toEqual(['no_reference']);
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000);
});

test('random damage never fails in another way than a refusal', () => {
  const payments = [credit(1n, id), credit(2n, other, { direction: 'debit' })];
  const forms: CamtForm[] = [{ kind: '053' }, { kind: '054', version: 2 }];
  const contents = [...forms.map((form) => camt(payments, form)), bai2(payments)];
  const damage = fc.tuple(
    fc.constantFrom(...contents),
    fc.nat(2000),
    fc.nat(50),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(damage, ([content, start, length, text]) => {
      try {
        check(content.slice(0, start) + text + content.slice(start + length));
      } catch (error) {
        expect(error).toMatchObject({ name: 'StatementFileRefused' });
      }
    }),
    { numRuns: randomCases(1_000) },
  );
});
