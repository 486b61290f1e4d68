import type { ReturnKind, UndoReason } from './money-return.fields';

/** A request to record that money went back, or that a return was undone. */
export interface NewReturn {
  /** The return that is undone; undefined for a return. */
  undoes: string | undefined;
  kind: ReturnKind | UndoReason;
  code: string | undefined;
  amountCents: bigint;
  bankReference: string;
  valueDate: string | undefined;
}

/** A recorded return, or a recorded undo. */
export interface MoneyReturn extends NewReturn {
  returnId: string;
  recordedAt: Date;
  /** The current sums of its contribution. */
  contribution: { amountCents: bigint; returnedCents: bigint };
}
