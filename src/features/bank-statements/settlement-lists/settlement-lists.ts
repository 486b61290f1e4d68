import { hash } from 'node:crypto';

import type { Upload } from '../../../http/request/upload';
import { checkUploadLines, readUploadLines, type UploadLine } from '../../../http/request/upload-lines';
import { validate } from '../../../http/request/validation';
import { groupBy } from '../../../shared/group-by';
import { type InputError, invalidRequest, ServiceError } from '../../../shared/errors';
import { parseTransactionId } from '../../../shared/transaction-id';
import { mostListLines, mostLists, settlementLine } from './settlement-lists.contract';
import type { SettlementList } from './settlement-lists.store';

interface Line {
  reference: string;
  transactionId: string;
  cents: bigint;
}

const columns = { required: ['reference', 'transaction_id', 'amount'], optional: [] };
const mostErrors = 100;

const inLine = (number: number, error: InputError): InputError => ({
  code: error.code,
  detail: error.detail,
  pointer: `/${number}${'pointer' in error ? error.pointer : ''}`,
});

function membersOf({ number, read }: UploadLine): Record<string, unknown> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, {
      detail: `Line ${number}: ${error.message} Nothing was stored.`,
      cause: error,
    });
  }
}

function readLine(line: UploadLine): Line | InputError[] {
  const { number } = line;
  const { value, errors } = validate('body', settlementLine, membersOf(line));
  if (!value) return errors.map((error) => inLine(number, error));
  const id = parseTransactionId(value.transaction_id);
  if (!id) {
    return [
      {
        code: 'invalid_format',
        detail: 'This is not a valid transaction_id. Check for a typo.',
        pointer: `/${number}/transaction_id`,
      },
    ];
  }
  return { reference: value.reference, transactionId: id.transactionId, cents: value.amount };
}

/** A digest that ignores the order of the lines, because the order does not change a list. */
function digestOf(lines: readonly Line[]): Buffer {
  const texts = lines.map(({ transactionId, cents }) => `${transactionId} ${cents}`).sort();
  return hash('sha256', texts.join('\n'), 'buffer');
}

/**
 * The lists of a file, in the order of their first lines.
 *
 * @throws ServiceError if one line is invalid; errors point to `/<line>/<member>`
 */
export function readSettlementLists(upload: Upload): SettlementList[] {
  checkUploadLines(upload, mostListLines, 'contribution');
  const errors: InputError[] = [];
  const lines: Line[] = [];
  const seen = new Set<string>();
  for (const line of readUploadLines(upload, columns)) {
    const read = readLine(line);
    if (Array.isArray(read)) errors.push(...read);
    else {
      const key = `${read.transactionId} ${read.reference}`;
      if (seen.has(key)) {
        const detail = 'The list of this reference already contains this contribution.';
        errors.push({ code: 'duplicate', detail, pointer: `/${line.number}/transaction_id` });
      }
      seen.add(key);
      lines.push(read);
    }
    if (errors.length >= mostErrors) break;
  }
  if (errors.length > 0) {
    throw invalidRequest(
      errors,
      (count) =>
        `The file has ${count}, and nothing was stored. A pointer starts with the number of the line. See errors.`,
    );
  }
  const groups = groupBy(lines, ({ reference }) => reference);
  if (groups.size > mostLists) {
    throw new ServiceError('body_too_large', {
      detail: `The file has more than ${mostLists} references. Nothing was stored. Split it.`,
    });
  }
  return [...groups].map(([reference, ofOne]) => ({
    reference,
    sha256: digestOf(ofOne),
    lines: ofOne,
  }));
}
