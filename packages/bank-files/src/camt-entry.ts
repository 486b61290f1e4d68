import { codeOfCamt, natureOfCamt } from './bank-transaction-codes';
import {
  chargesOf,
  differs,
  directionOf,
  isAmbiguous,
  partOf,
  type ReadPart,
  statedCentsOf,
} from './camt-details';
import { entryReferences } from './camt-references';
import { type CamtNode, child } from './camt-tree';
import { dayOf, parseStatementCents, type StatementEntry, type StatementKind } from './statement-file';

export const dateOf = (node: CamtNode | undefined): string | null => {
  const text = child(node, 'Dt')?.text ?? child(node, 'DtTm')?.text ?? '';
  return dayOf(text) ?? null;
};

/** Banks omit the status in statements and notifications, which have only booked entries. */
function isBooked(node: CamtNode, kind: StatementKind): boolean {
  const status = child(node, 'Sts');
  if (!status) return kind !== 'interim';
  const code = child(status, 'Cd')?.text;
  const own = child(status, 'Prtry')?.text;
  if (code === undefined && own !== undefined) return /^BOOK(ED)?$/i.test(own);
  return (code ?? status.text) === 'BOOK';
}

/** @param read the details of the entry */
export function readEntry(node: CamtNode, read: readonly ReadPart[], kind: StatementKind): StatementEntry {
  const amount = child(node, 'Amt');
  const amountCents = parseStatementCents(amount?.text ?? '');
  const direction = directionOf(node);
  const currency = amount?.currency ?? '';
  const [nature, code] = [natureOfCamt(node), codeOfCamt(node)];
  const ownCharges = chargesOf(node);
  const chargesCents = (read.length === 1 && read[0]?.chargesCents) || ownCharges;
  const batch = child(node, 'NtryDtls', 'Btch') ?? child(node, 'Btch');
  const isBatch =
    read.length > 1 ||
    Number(child(batch, 'NbOfTxs')?.text) > 1 ||
    read.some((part) => differs(part, { amountCents, currency, chargesCents }));
  const [only] = isBatch ? [] : read;
  return {
    line: node.line,
    direction: direction ?? 'credit',
    amountCents: amountCents ?? 0n,
    currency,
    isBooked: isBooked(node, kind),
    bookingDate: dateOf(child(node, 'BookgDt')),
    bankReference: child(node, 'AcctSvcrRef')?.text ?? null,
    statedCents: statedCentsOf(node, only, currency),
    chargesCents: only ? chargesCents : ownCharges,
    ...entryReferences(node, only),
    returnCode: only?.returnCode ?? null,
    nature: only?.nature ?? nature,
    code: only?.code ?? code,
    parts: (isBatch ? read : []).map((part) =>
      partOf(part, { direction: direction ?? 'credit', currency, nature, code }),
    ),
    unreadable:
      amountCents === undefined || isAmbiguous(node, 'Amt')
        ? 'the amount is missing, ambiguous or not in whole cents'
        : direction === undefined || isAmbiguous(node, 'CdtDbtInd')
          ? 'CdtDbtInd is missing, ambiguous or unknown'
          : null,
  };
}
