import { checkCharacter } from '../../../src/shared/transaction-id';
import { type Line, statementFile } from '../../support/statement-files';
import type { Planned } from './plan';

/** A contribution of the plan that was created. */
export interface Created extends Planned {
  id: string;
}

/** A line of a statement, with the outcome that its entry must have. */
export interface PlannedLine extends Line {
  day: string;
  outcome: string;
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Whether a text is one character, or two swapped characters, away from another issued id. */
function isNearOther(text: string, id: string, issued: ReadonlySet<string>): boolean {
  const isOther = (near: string): boolean => near !== id && issued.has(near);
  return Array.from(text).some(
    (character, at) =>
      Array.from(alphabet).some((wrong) => isOther(text.slice(0, at) + wrong + text.slice(at + 1))) ||
      isOther(text.slice(0, at) + text.slice(at + 1, at + 2) + character + text.slice(at + 2)),
  );
}

/**
 * An id with one wrong character, whose check character does not match. No other issued id is as
 * similar, because the service proposes nothing if two ids are.
 */
function damaged(id: string, issued: ReadonlySet<string>, random: () => number): string {
  for (;;) {
    const at = 5 + Math.floor(random() * 9);
    const wrong = alphabet[Math.floor(random() * alphabet.length)] ?? '0';
    const text = id.slice(0, at) + wrong + id.slice(at + 1);
    const isDamaged = text !== id && checkCharacter(text.slice(0, -1)) !== text.slice(-1);
    if (isDamaged && !isNearOther(text, id, issued)) return text;
  }
}

/** Spellings that banks make of a reference that a person typed. */
function mangled(id: string, number: number): string {
  const forms = [
    `gift ${id.toLowerCase()} thank you`,
    `${id.slice(0, 5)}-${id.slice(5, 10)}-${id.slice(10)}`,
    `REF ${id.slice(0, 7)} ${id.slice(7)}`,
    `Donation/${id}/web`,
    id.replaceAll('0', 'O').replaceAll('1', 'I'),
  ];
  return forms[number % forms.length] ?? id;
}

const taken = 35n;

/**
 * The lines of one contribution. Only `returned and recorded` and the pending ones need more.
 *
 * @param issued all ids
 */
export function linesOf(one: Created, issued: ReadonlySet<string>, random: () => number): PlannedLine[] {
  const { id, cents, day, number } = one;
  const line = (more: Partial<PlannedLine> = {}): PlannedLine => ({
    day,
    cents,
    id,
    date: day,
    reference: `REF-${number}`,
    outcome: 'matched',
    ...more,
  });
  const back = (of: bigint): PlannedLine =>
    line({
      ...{ direction: 'debit', cents: of, reference: `RT-${number}`, outcome: 'returned' },
      returnCode: 'AC04',
    });
  switch (one.fate) {
    case 'paid':
    case 'paid before its completion':
    case 'paid and never completed':
      return [line()];
    case 'mangled reference': {
      const plain = line({ text: mangled(id, number) });
      delete plain.id;
      return [plain];
    }
    case 'charges taken off':
      return [line({ cents: cents - taken, chargesCents: taken })];
    case 'short':
      return [line({ cents: cents - 1_00n })];
    case 'over':
      return [line({ cents: cents + 2_50n })];
    case 'paid twice':
      return [line(), line({ reference: `REF-${number}-2` })];
    case 'paid twice with equal lines': {
      const equal = line();
      delete equal.reference;
      return [equal, { ...equal }];
    }
    case 'returned':
    case 'returned and recorded':
      return [line(), back(cents)];
    case 'returned in part':
      return [line(), back(3_00n)];
    case 'reference with a wrong character': {
      const wrong = line({ text: damaged(id, issued, random), outcome: 'proposed' });
      delete wrong.id;
      return [wrong];
    }
    // These contributions have a part of a common line, or no line at all.
    case 'part of a batch entry':
    case 'part of one transfer':
    case 'part of a listed transfer':
    case 'completed without money':
    case 'never paid':
      return [];
  }
}

const sumOf = (ones: readonly { cents: bigint }[]): bigint =>
  ones.reduce((sum, { cents }) => sum + cents, 0n);

/** The entries of a day that pay several contributions. */
export function commonLinesOf(day: string, ones: readonly Created[]): PlannedLine[] {
  const of = (fate: Created['fate']): Created[] => ones.filter((one) => one.fate === fate);
  const lines: PlannedLine[] = [];
  const batch = of('part of a batch entry');
  if (batch.length > 0) {
    const parts = batch.map(({ id, cents }) => ({ id, cents }));
    lines.push({ day, date: day, cents: sumOf(batch), reference: `B-${day}`, parts, outcome: 'matched' });
  }
  for (const [fate, prefix] of [
    ['part of one transfer', 'BULK'],
    ['part of a listed transfer', 'LIST'],
  ] as const) {
    const paid = of(fate);
    if (paid.length === 0) continue;
    const id = `${prefix}-${day}`;
    lines.push({ day, date: day, cents: sumOf(paid), id, reference: `T-${id}`, outcome: 'matched' });
  }
  return lines;
}

/** Money that belongs to no contribution. */
export const strangeLinesOf = (day: string, neverIssued: string): PlannedLine[] => [
  { day, date: day, cents: 12_00n, text: 'office rent', reference: `X-${day}-1`, outcome: 'unknown' },
  { day, date: day, cents: 7_00n, text: neverIssued, reference: `X-${day}-2`, outcome: 'unknown' },
  {
    ...{ day, date: day, cents: 1_50n, text: 'monthly fee', reference: `X-${day}-3` },
    ...{ direction: 'debit', outcome: 'unknown' },
  },
  {
    ...{ day, date: day, cents: 20_00n, text: 'euro', reference: `X-${day}-4`, currency: 'EUR' },
    outcome: 'other_currency',
  },
];

export interface BankFile {
  name: string;
  content: string;
}

const account = 'ACCOUNT-OF-THE-BANK';
const change = (lines: readonly Line[]): bigint =>
  lines.reduce((sum, { cents, direction }) => sum + (direction === 'debit' ? -cents : cents), 0n);

/** The files of a day: as a whole, or in an overlapping form that must change nothing. */
function filesOfDay(
  day: string,
  at: number,
  lines: readonly PlannedLine[],
  openingCents: bigint,
): BankFile[] {
  const closingCents = openingCents + change(lines);
  const whole = {
    name: `${day} camt.053`,
    content: statementFile(lines, { account, from: day, openingCents, closingCents }),
  };
  const half = Math.ceil(lines.length / 2);
  if (at % 5 === 1) {
    const morning = lines.slice(0, half);
    const form = { account, from: `${day}T00:00:00`, to: `${day}T11:59:59` };
    return [
      whole,
      {
        name: `${day} morning`,
        content: statementFile(morning, {
          ...form,
          openingCents,
          closingCents: openingCents + change(morning),
        }),
      },
    ];
  }
  if (at % 5 === 3) {
    const report = { account, kind: '052' as const, from: day, openingCents, closingCents };
    return [whole, { name: `${day} camt.052`, content: statementFile(lines, report) }];
  }
  return [whole];
}

/** The files of all days in order, and one more file that repeats five days. */
export function bankFiles(days: readonly string[], lines: readonly PlannedLine[]): BankFile[] {
  let openingCents = 1_000_000_00n;
  const files: BankFile[] = [];
  const week = days.slice(2, 7);
  let openingOfWeek = 0n;
  for (const [at, day] of days.entries()) {
    if (day === week[0]) openingOfWeek = openingCents;
    const ofDay = lines.filter((line) => line.day === day);
    files.push(...filesOfDay(day, at, ofDay, openingCents));
    openingCents += change(ofDay);
  }
  const repeated = lines.filter(({ day }) => week.includes(day));
  files.push({
    name: 'a week again',
    content: statementFile(repeated, {
      ...{ account, from: week[0] ?? '', to: week.at(-1) ?? '' },
      openingCents: openingOfWeek,
      closingCents: openingOfWeek + change(repeated),
    }),
  });
  return files;
}
