import { readBai2 } from './bai2';
import { readCamt } from './camt';
import type { CsvMapping } from './csv-mapping';
import { readCsvStatement } from './csv-statement';
import { decodeStatementFile } from './decode';
import { isNacha, readNachaReturns } from './nacha-returns';
import type { StatementFile } from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

/**
 * Reads a file. Its content determines the format, never its name.
 *
 * @param mapping the columns of a CSV file
 */
export function readStatementFile(bytes: Uint8Array, mapping?: CsvMapping): StatementFile {
  const text = decodeStatementFile(bytes).replace(/^\uFEFF/, '');
  if (text.trim() === '') throw new StatementFileRefused('The file is empty.');
  if (text.trimStart().startsWith('<')) return readCamt(text);
  if (/^\s*01,/.test(text)) return readBai2(text);
  if (isNacha(text)) return readNachaReturns(text);
  if (mapping) return readCsvStatement(text, mapping);
  throw new StatementFileRefused(
    'The file is not camt.052, camt.053 or camt.054 (XML), BAI2 or NACHA. A CSV file needs a mapping.',
  );
}
