import { camtFields } from './camt-references';
import type { CsvMapping } from './csv-mapping';
import type { StatementFile } from './statement-file';

/**
 * The fields of a file in which ids are searched, in words of its format: those of `references` and
 * of `furtherReferences`. For a person who asks why no id was found.
 *
 * @param mapping the columns of a CSV file
 */
export function searchedFields(format: StatementFile['format'], mapping?: CsvMapping): readonly string[] {
  if (format === 'csv')
    return [mapping?.bank_reference ?? [], mapping?.texts ?? [], mapping?.split_texts ?? []]
      .flat()
      .map(String);
  if (format === 'bai2') return ['bank reference number', 'customer reference number', 'text'];
  return format === 'nacha'
    ? ['individual identification number', 'original entry trace number', 'trace number']
    : camtFields;
}
