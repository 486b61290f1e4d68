import fc from 'fast-check';

import { checkCharacter } from '../../src/shared/transaction-id';
import { formatCents } from '../../src/shared/money';
import { nextDay } from '../../src/features/statements/matching/banking-days';
import { type Line, statementFile, type StatementForm } from './statement-files';

/** A plan: payments of two days, and the files and other events about them, in any order. */
const paidCents = 25_50n;
export const contributionCount = 3;

const spellings = ['exact', 'lower', 'wrapped', 'attached', 'damaged'] as const;

export interface PlannedPayment {
  contribution: number;
  day: number;
  isAfternoon: boolean;
  spelled: (typeof spellings)[number];
  hasReference: boolean;
}

export interface Plan {
  payments: PlannedPayment[];
  /** How the final statements of each day state its payments. */
  forms: string[];
  others: string[];
  /** Which spelling of the account each file has. */
  accounts: number[];
  /** The position of each event in the order. */
  order: number[];
}

const places = 24;
export const days = ['2026-11-19', '2026-11-20'] as const;

export const plan: fc.Arbitrary<Plan> = fc.record({
  payments: fc.array(
    fc.record({
      contribution: fc.integer({ min: 0, max: contributionCount - 1 }),
      day: fc.integer({ min: 0, max: days.length - 1 }),
      isAfternoon: fc.boolean(),
      spelled: fc.constantFrom(...spellings),
      hasReference: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  forms: fc.array(fc.constantFrom('whole', 'halves', 'whole and halves', 'twice'), {
    minLength: days.length,
    maxLength: days.length,
  }),
  others: fc.subarray(['both days', 'reports', 'notifications', 'bai2', 'same bytes', 'voided']),
  accounts: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: places, maxLength: places }),
  order: fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: places, maxLength: places }),
});

/** Spellings of the same account in several formats and programs. */
const accountSpellings = ['US00 1234 abcd', 'US001234ABCD', 'us001234abcd', ' us00 1234 ABCD'];

const wrong = (id: string): string => {
  const other = id[8] === 'A' ? 'B' : 'A';
  const text = id.slice(0, 8) + other + id.slice(9);
  if (checkCharacter(text.slice(0, -1)) === text.slice(-1)) throw new Error('the id is not damaged');
  return text;
};

function textOf(id: string, spelled: PlannedPayment['spelled']): string {
  switch (spelled) {
    case 'exact':
      return id;
    case 'lower':
      return `gift ${id.toLowerCase()}`;
    case 'wrapped':
      return `${id.slice(0, 7)} ${id.slice(7)}`;
    case 'attached':
      return `INV${id}EUR`;
    case 'damaged':
      return wrong(id);
  }
}

/** The bank's reference of a payment. */
export const referenceOf = (number: number): string => `REF-${number}`;

/** A final statement of the day in BAI2. */
function bai2File(lines: readonly Line[], day: string, account: string): string {
  const date = day.replaceAll('-', '').slice(2);
  const total = lines.reduce((sum, { cents }) => sum + cents, 0n);
  const records = lines.map(
    ({ cents, reference, text }) => `16,165,${cents},Z,${reference ?? ''},,${text ?? ''}`,
  );
  const count = records.length;
  return [
    `01,BANK,CUST,${date},0100,1,80,1,2/`,
    `02,CUST,BANK,1,${date},2359,USD,2/`,
    `03,${account},USD,,,,/`,
    ...records,
    `49,${total},${count + 2}/`,
    `98,${total},1,${count + 4}/`,
    `99,${total},1,${count + 6}/`,
    '',
  ].join('\n');
}

export interface PlannedFile {
  content: string;
  /** Whether it is a report or a notification. */
  isInterim: boolean;
}

/**
 * The files of a plan. Reports and notifications name no contribution, because the bank does not
 * know it yet.
 *
 * @param ids of the contributions
 */
export function filesOf({ payments, forms, others, accounts }: Plan, ids: readonly string[]): PlannedFile[] {
  const files: PlannedFile[] = [];
  const nextAccount = (): string => accountSpellings[accounts[files.length % accounts.length] ?? 0] ?? '';
  const lines = (isWanted: (one: PlannedPayment) => boolean, isNamed = true): Line[] =>
    payments.flatMap((one, number) => {
      if (!isWanted(one)) return [];
      const text = isNamed ? textOf(ids[one.contribution] ?? '', one.spelled) : 'incoming transfer';
      const reference = one.hasReference ? { reference: referenceOf(number) } : {};
      return [{ cents: paidCents, text, date: days[one.day] ?? '', ...reference }];
    });
  const put = (of: Line[], form: StatementForm): void => {
    const content = statementFile(of, { account: nextAccount(), ...form });
    files.push({ content, isInterim: form.kind !== undefined });
  };
  for (const [at, day] of days.entries()) {
    const form = forms[at] ?? 'whole';
    const ofDay = (one: PlannedPayment): boolean => one.day === at;
    const noon = `${day}T12:00:00`;
    if (form !== 'halves') put(lines(ofDay), { from: day });
    if (form === 'twice') put(lines(ofDay).reverse(), { from: day });
    if (form === 'halves' || form === 'whole and halves') {
      const morning = lines((one) => ofDay(one) && !one.isAfternoon);
      const afternoon = lines((one) => ofDay(one) && one.isAfternoon);
      put(morning, { from: `${day}T00:00:00`, to: noon });
      put(afternoon, { from: noon, to: `${nextDay(day)}T00:00:00` });
    }
    if (others.includes('reports')) put(lines(ofDay, false), { kind: '052', from: day });
    if (others.includes('notifications')) put(lines(ofDay, false), { kind: '054', from: day });
    if (others.includes('bai2')) {
      files.push({ content: bai2File(lines(ofDay), day, nextAccount()), isInterim: false });
    }
  }
  if (others.includes('both days')) {
    put(
      lines(() => true),
      { from: days[0], to: days[1] },
    );
  }
  return files;
}

/** A statement of another day that is uploaded by mistake. */
export const mistakenFile = (ids: readonly string[]): string =>
  statementFile(
    ids.map((id, at) => ({ cents: paidCents, id, reference: `WRONG-${at}`, date: '2026-11-23' })),
    { from: '2026-11-23', account: accountSpellings[0] ?? '' },
  );

/**
 * The money of each contribution. A damaged id only causes a proposal, unless its entry has a
 * decision.
 *
 * @param decided the numbers of the payments whose entry has a decision
 */
export const expectedMoney = ({ payments }: Plan, decided: ReadonlySet<number>): string[] =>
  Array.from({ length: contributionCount }, (_, contribution) => {
    const paid = payments.filter(
      (one, number) =>
        one.contribution === contribution && (one.spelled !== 'damaged' || decided.has(number)),
    ).length;
    const position = paid === 0 ? 'waiting' : paid === 1 ? 'money_without_completion' : 'duplicate';
    return `${position} ${formatCents(BigInt(paid) * paidCents)}`;
  });
