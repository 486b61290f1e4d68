import type { Upload } from '../../http/request/upload';
import { checkUploadLines, readUploadLines, type UploadLine } from '../../http/request/upload-lines';
import { validate } from '../../http/request/validation';
import { invalidRequest, ServiceError } from '../../shared/errors';
import type { ParsedTransactionId } from '../../shared/transaction-id';
import { completionLine, mostLines } from './complete-contributions.contract';
import type { Evidence } from './contribution';
import { readTransactionId } from './written-transaction-id';

/** A line of the file: a completion, or the reason why it is refused. */
export type CompletionLine = { readonly line: number; readonly writtenId: string | null } & (
  { readonly id: ParsedTransactionId; readonly evidence: Evidence } | { readonly refusal: ServiceError }
);

const columns = {
  required: ['transaction_id', 'amount'],
  optional: ['status', 'currency', 'bank_reference', 'value_date'],
};

/** @throws ServiceError for a wrong header of a CSV file */
export function* readCompletionLines(upload: Upload): Generator<CompletionLine, void> {
  for (const line of readUploadLines(upload, columns)) yield readLine(line);
}

/** @throws ServiceError for an empty file and for one with too many lines */
export const checkFile = (upload: Upload): void => {
  checkUploadLines(upload, mostLines, 'completion');
};

function readLine({ number: line, read }: UploadLine): CompletionLine {
  let writtenId: string | null = null;
  try {
    const members = read();
    const written = members['transaction_id'];
    if (typeof written === 'string') writtenId = written;
    const { value, errors } = validate('body', completionLine, members);
    if (!value) throw invalidRequest(errors, (count) => `The line has ${count}. See errors.`);
    const id = readTransactionId(value.transaction_id);
    const { amount: amountCents, bank_reference: bankReference, value_date: valueDate } = value;
    return { line, writtenId: id.transactionId, id, evidence: { amountCents, bankReference, valueDate } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { line, writtenId, refusal: error };
  }
}
