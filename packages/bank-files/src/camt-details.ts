import { codeOfCamt, natureOfCamt } from './bank-transaction-codes';
import { type CamtNode, child, descendants } from './camt-tree';
import { partReferences } from './camt-references';
import { type EntryPart, largestStatedCents, parseStatementCents } from './statement-file';

export const directionOf = (node: CamtNode): EntryPart['direction'] | undefined =>
  (({ CRDT: 'credit', DBIT: 'debit' }) as const)[child(node, 'CdtDbtInd')?.text ?? ''];

/** Whether an element occurs more than once, or contains other elements. */
export const isAmbiguous = (node: CamtNode, name: string): boolean => {
  const found = node.children.filter((element) => element.name === name);
  return found.length > 1 || found.some(({ children }) => children.length > 0);
};

/** A part as the file states it. If it has no direction or currency, those of its entry apply. */
export interface ReadPart extends Omit<EntryPart, 'direction' | 'currency'> {
  direction: EntryPart['direction'] | undefined;
  currency: string | undefined;
  /**
   * Whether the file states only the payer's amount. Banks on the way may have deducted charges
   * from it.
   */
  isInstructed: boolean;
  otherAmounts: readonly OtherAmount[];
}

/**
 * Whether the charge was deducted. With the code DEBT, the payer pays it in addition to the amount.
 */
const isDeducted = (charge: CamtNode): boolean =>
  (child(charge, 'ChrgInclInd')?.text ?? String(child(charge, 'Br')?.text !== 'DEBT')) !== 'false';

/**
 * The charges that were deducted from the amount. It counts only charges in dollars, because only
 * entries in dollars are compared. Version 2 has no `Rcrd` elements. Later versions may have only a
 * total.
 */
export function chargesOf(node: CamtNode): bigint {
  const charges = descendants(node, 'Chrgs').flatMap((found) => {
    const records = descendants(found, 'Rcrd');
    return records.length > 0 ? records : [found];
  });
  const sum = charges
    .filter((charge) => directionOf(charge) !== 'credit' && isDeducted(charge))
    .map((charge) => child(charge, 'Amt') ?? child(charge, 'TtlChrgsAndTaxAmt'))
    .filter((amount) => (amount?.currency ?? 'USD') === 'USD')
    .reduce((sum, amount) => sum + (parseStatementCents(amount?.text ?? '') ?? 0n), 0n);
  // Ignore absurd sums, which do not fit into 64 bits.
  return sum <= largestStatedCents ? sum : 0n;
}

/** An amount that the file states beside the booked one. */
interface OtherAmount {
  name: string;
  cents: bigint;
  currency: string;
}

/** The amounts below AmtDtls. */
const otherAmountsOf = (node: CamtNode): OtherAmount[] =>
  ['InstdAmt', 'TxAmt', 'CntrValAmt'].flatMap((name) => {
    const amount = child(node, 'AmtDtls', name, 'Amt');
    const cents = parseStatementCents(amount?.text ?? '');
    return cents === undefined ? [] : [{ name, cents, currency: amount?.currency ?? '' }];
  });

/** The amount before deductions in this currency. */
const statedOf = (amounts: readonly OtherAmount[], currency: string): bigint | undefined =>
  amounts.find((amount) => amount.name !== 'CntrValAmt' && amount.currency === currency)?.cents;

/** The amount before deductions of an entry or of its only part. */
export const statedCentsOf = (
  node: CamtNode,
  only: ReadPart | undefined,
  currency: string,
): bigint | undefined =>
  statedOf(only?.otherAmounts ?? [], currency) ?? statedOf(otherAmountsOf(node), currency);

export function readPart(details: CamtNode): ReadPart {
  const booked = child(details, 'Amt') ?? child(details, 'AmtDtls', 'TxAmt', 'Amt');
  const amount = booked ?? child(details, 'AmtDtls', 'InstdAmt', 'Amt');
  return {
    line: details.line,
    direction: directionOf(details),
    amountCents: isAmbiguous(details, 'Amt') ? null : (parseStatementCents(amount?.text ?? '') ?? null),
    currency: amount?.currency,
    isInstructed: booked === undefined,
    otherAmounts: otherAmountsOf(details),
    chargesCents: chargesOf(details),
    ...partReferences(details),
    returnCode: child(details, 'RtrInf', 'Rsn', 'Cd')?.text ?? null,
    nature: natureOfCamt(details),
    code: codeOfCamt(details),
  };
}

/**
 * Whether the only detail of an entry states another amount. The bank then omits the other details,
 * or one of the amounts is wrong. An amount before charges or in another currency is no difference.
 */
export function differs(
  { amountCents: stated, currency, isInstructed }: ReadPart,
  entry: Pick<EntryPart, 'currency' | 'chargesCents'> & { amountCents: bigint | undefined },
): boolean {
  if (stated === null || isInstructed || entry.amountCents === undefined) return false;
  if ((currency ?? entry.currency) !== entry.currency) return false;
  const { amountCents, chargesCents } = entry;
  return ![amountCents, amountCents + chargesCents, amountCents - chargesCents].includes(stated);
}

/** Builds the part of a batch entry. */
export function partOf(
  part: ReadPart,
  entry: Pick<EntryPart, 'direction' | 'currency' | 'nature' | 'code'>,
): EntryPart {
  const { line, amountCents, chargesCents, identifiers, references, furtherReferences } = part;
  const direction = part.direction ?? entry.direction;
  const currency = part.currency ?? entry.currency;
  const counter = part.otherAmounts.findLast((amount) => amount.currency === entry.currency);
  return {
    ...{ line, direction, amountCents, currency, chargesCents, identifiers, references },
    furtherReferences,
    returnCode: part.returnCode,
    statedCents: statedOf(part.otherAmounts, entry.currency),
    counter:
      counter && currency !== entry.currency
        ? { cents: counter.cents, currency: counter.currency }
        : undefined,
    nature: part.nature ?? entry.nature,
    code: part.code ?? entry.code,
  };
}
