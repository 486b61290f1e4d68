import type { CsvMapping } from './csv-mapping';
import { parseStatementCents } from './statement-file';

/** An amount as a cell states it. */
export interface Amount {
  cents: bigint;
  /** A minus, or parentheses. */
  isNegative: boolean;
  /** CR or DR beside the amount. */
  direction: 'credit' | 'debit' | undefined;
  /** Undefined also for a dollar sign, which several currencies share. */
  currency: string | undefined;
}

const space = "\\s'\u2019";
const signs: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '¥': 'JPY', US$: 'USD' };
const currency = /^(?:US\$|\p{Sc}|[A-Z]{3})?$/u;

/** The digits of a number in groups of three, or without groups. */
const forms = { '.': numberForm('.', ','), ',': numberForm(',', '.') };
function numberForm(decimal: string, group: string): RegExp {
  return new RegExp(`^(?:\\d*|\\d{1,3}([${group}${space}])\\d{3}(?:\\1\\d{3})*)(?:[${decimal}]\\d*)?$`, 'u');
}

/** @returns undefined for a text that is not a number in this form */
function numberOf(text: string, decimal: CsvMapping['decimal']): bigint | undefined {
  if (!forms[decimal].test(text)) return undefined;
  const [whole = '', decimals = ''] = text.split(decimal);
  return parseStatementCents(`${whole.replace(/\D/g, '')}.${decimals}`);
}

/**
 * Parses an amount with a sign, CR or DR on either side or in parentheses, and with a currency on
 * either side.
 *
 * @returns undefined for a text that is not exactly one amount
 */
export function amountOf(written: string, decimal: CsvMapping['decimal']): Amount | undefined {
  const [, before = '', number = '', after = ''] =
    /^([^\d.,]*)([.,]?\d(?:.*\d)?[.,]?)([^\d]*)$/su.exec(written.trim()) ?? [];
  const cents = numberOf(number, decimal);
  // Swiss banks write 25.– for 25.00.
  if (cents === undefined || (/[.,]$/.test(number) && after !== '')) return undefined;
  const isEnclosed = before.includes('(') && after.includes(')');
  const around = isEnclosed ? before.replace('(', '') + after.replace(')', '') : before + after;
  const marks = around.match(/[-+\u2212]|\b[CD]R\b/gi) ?? [];
  const rest = marks.reduce((text, mark) => text.replace(mark, ''), around).replace(/\s/g, '');
  if (!currency.test(rest) || marks.length + Number(isEnclosed) > 1) return undefined;
  const [mark = ''] = marks;
  return {
    cents,
    isNegative: isEnclosed || /[-\u2212]/.test(mark),
    direction: ({ CR: 'credit', DR: 'debit' } as const)[mark.toUpperCase()],
    currency: signs[rest] ?? (/^[A-Z]{3}$/.test(rest) ? rest : undefined),
  };
}

/** Money of a line. */
export interface Money {
  direction: 'credit' | 'debit';
  cents: bigint;
  currency: string | undefined;
}

/** @param word the cell of the direction column */
function withDirection(
  amount: Amount,
  word: string,
  { credit, debit, signed = false }: NonNullable<CsvMapping['direction']>,
): Money | undefined {
  const isOneOf = (words: readonly string[]): boolean =>
    words.some((one) => one.toLowerCase() === word.trim().toLowerCase());
  const direction = isOneOf(credit) ? 'credit' : 'debit';
  if (isOneOf(credit) === isOneOf(debit)) return undefined;
  return withoutSign(amount, direction, signed && direction === 'debit');
}

/** @param isNegative whether amounts in this direction have a minus */
function withoutSign(amount: Amount, direction: Money['direction'], isNegative: boolean): Money | undefined {
  if ((amount.direction ?? direction) !== direction) return undefined;
  if (amount.cents !== 0n && amount.isNegative !== isNegative) return undefined;
  return { direction, cents: amount.cents, currency: amount.currency };
}

function signedMoney({ cents, currency: own, ...amount }: Amount, isInverted: boolean): Money {
  const bySign = amount.isNegative === isInverted ? 'credit' : 'debit';
  return { direction: amount.direction ?? bySign, cents, currency: own };
}

/** Whether a line leaves the column unused. Banks then write 0.00 or a dash. */
const isUnused = (text: string, decimal: CsvMapping['decimal']): boolean =>
  /^[-\u2013]?$/.test(text) || amountOf(text, decimal)?.cents === 0n;

type Cell = (column: string | number | undefined) => string;

/** Exactly one of two columns has an amount, and its sign is the usual one of the column. */
function splitMoney(cell: Cell, { credit, debit, decimal, negative = [] }: CsvMapping): Money | undefined {
  const all = [cell(credit).trim(), cell(debit).trim()];
  const [inCredit = '', inDebit = ''] = all.every((text) => isUnused(text, decimal))
    ? all
    : all.map((text) => (isUnused(text, decimal) ? '' : text));
  if ((inCredit === '') === (inDebit === '')) return undefined;
  const direction = inCredit === '' ? 'debit' : 'credit';
  const amount = amountOf(inCredit || inDebit, decimal);
  return amount && withoutSign(amount, direction, negative.includes(direction));
}

/** @returns undefined if the line does not state exactly one amount */
export function moneyOf(cell: Cell, mapping: CsvMapping): Money | undefined {
  if (mapping.amount === undefined) return splitMoney(cell, mapping);
  const amount = amountOf(cell(mapping.amount), mapping.decimal);
  if (!amount) return undefined;
  const { direction, inverted = false } = mapping;
  return direction ? withDirection(amount, cell(direction.column), direction) : signedMoney(amount, inverted);
}
