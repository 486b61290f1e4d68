import type { CsvMapping } from '@contribution-service/bank-files';
import fc from 'fast-check';

import { nextDay } from '../../../src/features/bank-statements/rules/days/banking-days';
import { groupBy } from '../../../src/shared/group-by';
import { formatCents } from '../../../src/shared/money';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { type Line, statementFile, type StatementForm } from '../../support/statement-files';

/** What a bank booked on four days, and the files that it sends about them, also wrong ones. */
export const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'] as const;
const amounts = [25_50n, 25_50n, 10_00n, 25_50n];
const issuedAt = new Date('2026-11-01T12:00:00Z');
export const ids = Array.from({ length: 20 }, (_, at) => composeTransactionId('K7Q2', issuedAt, at))
  .flatMap((id) => id ?? [])
  .slice(0, amounts.length);
export const contributions = ids.map((transactionId, at) => ({
  ...{ transactionId, environmentId: 1, amountCents: amounts[at]! },
}));

/** One booked entry. */
export interface Booking {
  kind:
    'payment' | 'charged payment' | 'return' | 'return with fee' | 'batch' | 'charge' | 'stranger' | 'sweep';
  who: number;
  day: number;
  reference: 'none' | 'unique' | 'placeholder' | 'shared';
}

const dailyForms = [
  'none',
  'whole',
  'no period',
  'numbered split',
  'time halves',
  'pages',
  'corrected',
  'corrected number',
  'reissued number',
  'whole twice',
] as const;

const otherFiles = [
  'week',
  'two days',
  '052',
  '054',
  '054 in UTC',
  'BAI2',
  'BAI2 with balances',
  'BAI2 wrong, then right',
  'CSV',
] as const;

export interface BankMonth {
  bookings: Booking[];
  forms: (typeof dailyForms)[number][];
  others: (typeof otherFiles)[number][];
  /** How a wrong version differs. */
  mistake: 'amount' | 'removed' | 'added' | 'id';
  /** Whether statements have the parts of batch entries. Notifications always have them. */
  hasParts: boolean;
  /** Whether the second time, files contain several statements. */
  isJoined: boolean;
  firstNumber: number;
  /** Two orders of the files. */
  orders: [number[], number[]];
}

const places = 48;
const order = fc.array(fc.nat(9_999), { minLength: places, maxLength: places });

export const bankMonth: fc.Arbitrary<BankMonth> = fc.record({
  bookings: fc.array(
    fc.record<Booking>({
      kind: fc.constantFrom(
        ...(['payment', 'payment', 'payment', 'charged payment', 'return', 'return with fee'] as const),
        ...(['batch', 'charge', 'stranger', 'sweep'] as const),
      ),
      who: fc.nat(ids.length - 1),
      day: fc.nat(days.length - 1),
      reference: fc.constantFrom('none', 'unique', 'placeholder', 'shared'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  forms: fc.array(fc.constantFrom(...dailyForms), { minLength: days.length, maxLength: days.length }),
  others: fc.subarray([...otherFiles]),
  mistake: fc.constantFrom('amount', 'removed', 'added', 'id'),
  hasParts: fc.boolean(),
  isJoined: fc.boolean(),
  firstNumber: fc.integer({ min: 1, max: 50 }),
  orders: fc.tuple(order, order),
});

const chargeCents = 1_00n;
const feeCents = 3_00n;

function referenceOf({ reference, day }: Booking, at: number): string | undefined {
  if (reference === 'none') return undefined;
  return { unique: `REF-${at}`, placeholder: 'NONREF', shared: `SHARED-${day}` }[reference];
}

/** The lines of a booking as the bank writes them. */
function linesOf(one: Booking, at: number): Line[] {
  const cents = amounts[one.who]!;
  const [id, date, reference] = [ids[one.who]!, days[one.day]!, referenceOf(one, at)];
  const base = { date, ...(reference === undefined ? {} : { reference }) };
  const second = (one.who + 1) % ids.length;
  switch (one.kind) {
    case 'payment':
      return [{ ...base, cents, id }];
    case 'charged payment':
      return [{ ...base, cents: cents - chargeCents, chargesCents: chargeCents, id }];
    case 'return':
      return [{ ...base, cents, id, direction: 'debit', returnCode: 'AC04' }];
    case 'return with fee':
      return [
        {
          ...base,
          cents: cents + feeCents,
          chargesCents: feeCents,
          id,
          direction: 'debit',
          returnCode: 'AC04',
        },
      ];
    case 'batch': {
      const parts = [
        { cents, id },
        { cents: amounts[second]!, id: ids[second]! },
      ];
      // Only a reference of its own joins a batch entry with its parts in a notification.
      return [{ date, reference: `BATCH-${at}`, cents: cents + amounts[second]!, text: 'collection', parts }];
    }
    case 'charge':
      return [{ ...base, cents: 5_00n, direction: 'debit', subFamily: 'CHRG', text: 'account fee' }];
    case 'stranger':
      return [{ ...base, cents, text: `stranger ${at % 3}` }];
    case 'sweep':
      // A pair that leaves the balance as it was.
      return [
        { ...base, cents: 99_00n, text: 'sweep in' },
        { ...base, cents: 99_00n, text: 'sweep out', direction: 'debit' },
      ];
  }
}

export interface Truth {
  /** By contribution: paid and returned. */
  money: { paid: bigint; returned: bigint }[];
  matched: bigint;
  returned: bigint;
  charges: bigint;
  unexplained: bigint;
}

/** What the bank really booked. */
export function truthOf({ bookings, hasParts, others }: BankMonth): Truth {
  const truth: Truth = {
    money: ids.map(() => ({ paid: 0n, returned: 0n })),
    ...{ matched: 0n, returned: 0n, charges: 0n, unexplained: 0n },
  };
  const areParts = hasParts || others.includes('054');
  for (const { kind, who } of bookings) {
    const cents = amounts[who]!;
    const second = (who + 1) % ids.length;
    if (kind === 'payment' || kind === 'charged payment') {
      truth.money[who]!.paid += cents;
      truth.matched += kind === 'payment' ? cents : cents - chargeCents;
    } else if (kind === 'batch' && areParts) {
      truth.money[who]!.paid += cents;
      truth.money[second]!.paid += amounts[second]!;
      truth.matched += cents + amounts[second]!;
    } else if (kind === 'return' || kind === 'return with fee') {
      truth.money[who]!.returned += cents;
      truth.returned -= cents;
      truth.charges -= kind === 'return' ? 0n : feeCents;
    } else if (kind === 'charge') truth.charges -= 5_00n;
    else if (kind === 'batch') truth.unexplained += cents + amounts[second]!;
    else if (kind === 'stranger') truth.unexplained += cents;
  }
  return truth;
}

const changeOf = (lines: readonly Line[]): bigint =>
  lines.reduce((sum, { cents, direction }) => sum + (direction === 'debit' ? -cents : cents), 0n);

const withoutParts = (lines: readonly Line[]): Line[] =>
  lines.map((line) => {
    const { parts, ...plain } = line;
    return parts ? plain : line;
  });

/** A final statement of a day in BAI2. Without balances, if `openingCents` is null. */
export function bai2File(
  lines: readonly Line[],
  day: string,
  openingCents: bigint | null,
  time: string,
): string {
  const date = day.replaceAll('-', '').slice(2);
  const closingCents = openingCents === null ? null : openingCents + changeOf(lines);
  const total =
    lines.reduce((sum, { cents }) => sum + cents, 0n) + (openingCents ?? 0n) + (closingCents ?? 0n);
  const balances = openingCents === null ? ',,,' : `010,${openingCents},,,015,${closingCents},,`;
  const count = lines.length;
  return [
    `01,BANK,CUST,${date},${time},1,80,1,2/`,
    `02,CUST,BANK,1,${date},2359,USD,2/`,
    `03,ACCOUNT-NUMBER-0001,USD,${balances}/`,
    ...lines.map(
      ({ direction, cents, reference, id, text }) =>
        `16,${direction === 'debit' ? '555' : '165'},${cents},Z,${reference ?? ''},,${id ?? text ?? ''}`,
    ),
    `49,${total},${count + 2}/`,
    `98,${total},1,${count + 4}/`,
    `99,${total},1,${count + 6}/`,
    '',
  ].join('\n');
}

export const mapping = {
  ...{ date: 'Date', date_format: 'YYYY-MM-DD', amount: 'Amount', decimal: '.', delimiter: ',' },
  texts: ['Text'],
} satisfies CsvMapping;

/** A CSV file of a day, without references. */
export const csvFile = (lines: readonly Line[]): string =>
  [
    'Date,Amount,Text',
    ...lines.map((line) => `${line.date},${formatCents(changeOf([line]))},${line.id ?? line.text}`),
    '',
  ].join('\n');

/** A version of the lines with one mistake. */
function mistaken(lines: readonly Line[], mistake: BankMonth['mistake']): Line[] {
  const [first, ...others] = lines;
  if (mistake === 'added' || !first) {
    return [...lines, { cents: 25_50n, id: ids[0]!, date: first?.date ?? days[3], reference: 'WRONG' }];
  }
  if (mistake === 'removed') return others;
  const [plain = first] = withoutParts([first]);
  return [mistake === 'id' ? { ...plain, id: ids[3]! } : { ...plain, cents: first.cents + 1_00n }, ...others];
}

/** Collects the files of a month, with an Id for each statement. */
function createFiles() {
  const files: string[] = [];
  let count = 0;
  const put = (lines: readonly Line[], form: StatementForm, id = `ID-${(count += 1)}`): void => {
    files.push(statementFile(lines, form).replace('<Id>S</Id>', `<Id>${id}</Id>`));
  };
  return { files, put };
}
type Files = ReturnType<typeof createFiles>;

interface BankDay {
  day: string;
  lines: Line[];
  openingCents: bigint;
  nextNumber: () => number;
}

/** Replaces the period by dated balances. */
const withDatedBalances = (xml: string, day: string): string =>
  xml
    .replace(/<FrToDt>.*?<\/FrToDt>/, '')
    .replace(/(<Cd>(?:OPBD|CLBD)<.*?<\/CdtDbtInd>)/g, `$1<Dt><Dt>${day}</Dt></Dt>`);

const withPage = (xml: string, number: number, isLast: boolean): string =>
  xml.replace(
    '</GrpHdr>',
    `<MsgPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></MsgPgntn></GrpHdr>`,
  );

/** The final statements of a day in camt.053. */
function putDay(
  { files, put }: Files,
  form: BankMonth['forms'][number],
  bank: BankDay,
  mistake: BankMonth['mistake'],
): void {
  const { day, lines, openingCents, nextNumber } = bank;
  const [madeAt, later] = [`${nextDay(day)}T06:00:00Z`, `${nextDay(day)}T16:00:00Z`];
  const usual = { from: day, openingCents, madeAt };
  const half = Math.ceil(lines.length / 2);
  const [first, second] = [lines.slice(0, half), lines.slice(half)];
  const middleCents = openingCents + changeOf(first);
  if (form === 'whole' || form === 'whole twice' || form === 'no period') put(lines, usual);
  if (form === 'whole twice') put([...lines].reverse(), { ...usual, madeAt: later });
  if (form === 'no period') files.push(withDatedBalances(files.pop()!, day));
  if (form === 'numbered split') {
    put(first, { ...usual, sequence: nextNumber() });
    put(second, { from: day, openingCents: middleCents, sequence: nextNumber(), madeAt: later });
  }
  if (form === 'time halves') {
    put(first, { ...usual, from: `${day}T00:00:00`, to: `${day}T12:00:00` });
    const afternoon = { from: `${day}T12:00:00`, to: `${nextDay(day)}T00:00:00` };
    put(second, { ...afternoon, openingCents: middleCents, madeAt });
  }
  if (form === 'pages') {
    const whole = { ...usual, closingCents: openingCents + changeOf(lines), sequence: nextNumber() };
    for (const [at, part] of [first, second].entries()) {
      put(part, whole, `PAGES-${day}`);
      files.push(withPage(files.pop()!, at + 1, at === 1));
    }
  }
  if (form === 'corrected') {
    put(mistaken(lines, mistake), usual, `CORRECTED-${day}`);
    put(lines, { ...usual, madeAt: later }, `CORRECTED-${day}`);
  }
  if (form === 'corrected number') {
    const sequence = nextNumber();
    put(mistaken(lines, mistake), { ...usual, sequence });
    put(lines, { ...usual, sequence, madeAt: later });
  }
  if (form === 'reissued number') {
    put(lines, { ...usual, sequence: nextNumber() });
    if (changeOf(lines) !== 0n) put(lines, { ...usual, sequence: nextNumber(), madeAt: later });
  }
}

function putOthers(
  { files, put }: Files,
  { others, mistake }: BankMonth,
  bank: BankDay,
  detailed: readonly Line[],
): void {
  const { day, lines, openingCents } = bank;
  const madeAt = `${nextDay(day)}T05:00:00Z`;
  const plain = withoutParts(lines);
  if (others.includes('052')) put(plain, { kind: '052', from: day, madeAt });
  if (others.includes('054')) put(detailed, { kind: '054', from: day, madeAt });
  if (others.includes('054 in UTC')) {
    const moved = plain.map((line) => ({ ...line, date: nextDay(day) }));
    put(moved, { kind: '054', from: nextDay(day), madeAt });
  }
  if (others.includes('BAI2')) files.push(bai2File(lines, day, null, '0100'));
  if (others.includes('BAI2 with balances')) files.push(bai2File(lines, day, openingCents, '0200'));
  if (others.includes('BAI2 wrong, then right')) {
    files.push(bai2File(mistaken(lines, mistake), day, openingCents, '0300'));
    files.push(bai2File(lines, day, openingCents, '0400'));
  }
  if (others.includes('CSV') && lines.length > 0) files.push(csvFile(lines));
}

/** All files of a month. */
export function filesOf(month: BankMonth): string[] {
  const files = createFiles();
  let number = month.firstNumber;
  const detailed = days.map((_, day) =>
    month.bookings.flatMap((one, at) => (one.day === day ? linesOf(one, at) : [])),
  );
  const stated = month.hasParts ? detailed : detailed.map(withoutParts);
  const openings = [1_000_000_00n];
  for (const [at, lines] of stated.entries()) openings.push(openings[at]! + changeOf(lines));
  for (const [at, day] of days.entries()) {
    const bank = { day, lines: stated[at]!, openingCents: openings[at]!, nextNumber: () => number++ };
    putDay(files, month.forms[at]!, bank, month.mistake);
    putOthers(files, month, bank, detailed[at]!);
  }
  const madeAt = '2026-11-22T00:00:00Z';
  if (month.others.includes('week')) {
    files.put(stated.flat(), { from: days[0], to: days[3], openingCents: openings[0]!, madeAt });
  }
  if (month.others.includes('two days')) {
    files.put(stated.slice(1, 3).flat(), { from: days[1], to: days[2], openingCents: openings[1]!, madeAt });
  }
  return files.files;
}

const isJoinable = (xml: string): boolean => xml.includes('camt.053') && !xml.includes('MsgPgntn');
const headerOf = (xml: string): string => /<GrpHdr>.*?<\/GrpHdr>/.exec(xml)?.[0] ?? '';

/** The same statements in fewer files: those with the same header in one. */
export function joinFiles(files: readonly string[]): string[] {
  const groups = groupBy(files, (content) => (isJoinable(content) ? headerOf(content) : content));
  return [...groups.values()].flatMap(([first = '', ...others]) => {
    if (!isJoinable(first)) return [first, ...others];
    const statements = [first, ...others].map((content) => /<Stmt>[^]*<\/Stmt>/.exec(content)?.[0] ?? '');
    return [first.replace(/<Stmt>[^]*<\/Stmt>/, () => statements.join(''))];
  });
}
