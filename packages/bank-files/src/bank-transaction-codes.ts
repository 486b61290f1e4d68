import { type CamtNode, child } from './camt-tree';
import type { EntryNature } from './statement-file';

/** Sub-families of ISO 20022 (ExternalBankTransactionSubFamily1Code): charges, fees and taxes. */
const isoCharges: ReadonlySet<string> = new Set(['CHRG', 'COMM', 'COME', 'COMI', 'COMT', 'FEES', 'TAXE']);
/** Returned, reversed and unpaid transfers, direct debits, checks and card payments. */
const isoReturns: ReadonlySet<string> = new Set([
  ...['ARET', 'AREV', 'PRDD', 'RCDD', 'RPCR', 'RRTN', 'UPCQ', 'UPCT', 'UPDD'],
]);

function natureOfIso(subFamily: string): EntryNature | undefined {
  if (isoCharges.has(subFamily)) return 'charge';
  return isoReturns.has(subFamily) ? 'return' : undefined;
}

/** Type codes of BAI2: commissions, fees and their refund. */
const baiCharges: ReadonlySet<string> = new Set(['224', '398', '524', '564', '567', '661', '698']);
/** Type codes of BAI2: reversals, corrections, and returned or rejected items. */
const baiReturns: ReadonlySet<string> = new Set([
  ...['252', '254', '255', '257', '258', '261', '266', '395'],
  ...['423', '468', '552', '554', '555', '557', '558', '561', '566', '694', '695'],
]);

export function natureOfBai2(type: string): EntryNature | undefined {
  if (baiCharges.has(type)) return 'charge';
  return baiReturns.has(type) ? 'return' : undefined;
}

/** A bank's own code can be a code of SWIFT, such as NCHG+808, or of BAI2. */
function natureOfProprietary(node: CamtNode | undefined): EntryNature | undefined {
  const code = child(node, 'Cd')?.text ?? '';
  if (/^BAI/i.test(child(node, 'Issr')?.text ?? '')) return natureOfBai2(code);
  const swift = /^[NFS](CHG|COM|RTI)(?![A-Z0-9])/.exec(code)?.[1];
  if (swift === undefined) return undefined;
  return swift === 'RTI' ? 'return' : 'charge';
}

/**
 * The nature of an entry or a part of one. A charge can state the reason of the return that it is
 * for, so the code counts first.
 */
export function natureOfCamt(node: CamtNode): EntryNature | undefined {
  const codes = child(node, 'BkTxCd');
  const subFamily = child(codes, 'Domn', 'Fmly', 'SubFmlyCd')?.text ?? '';
  const nature = natureOfIso(subFamily) ?? natureOfProprietary(child(codes, 'Prtry'));
  if (nature !== undefined) return nature;
  const isReversal = /^(true|1)$/.test(child(node, 'RvslInd')?.text ?? '');
  return isReversal || child(node, 'RtrInf') !== undefined ? 'return' : undefined;
}

/** Sub-families of ISO 20022 that say nothing. */
const isoOthers: ReadonlySet<string> = new Set(['', 'OTHR', 'NTAV']);

/** The sub-family of ISO 20022. If it says nothing, the bank's own code. */
export function codeOfCamt(node: CamtNode): string | undefined {
  const codes = child(node, 'BkTxCd');
  const subFamily = child(codes, 'Domn', 'Fmly', 'SubFmlyCd')?.text ?? '';
  if (!isoOthers.has(subFamily)) return subFamily;
  return child(codes, 'Prtry', 'Cd')?.text ?? (subFamily || undefined);
}
