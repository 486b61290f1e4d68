import type { CsvMapping } from '@contribution-service/bank-files';
import { InvalidArgumentError, Option } from 'commander';

import { csvMapping } from '../uploads/csv-mapping.field';

function parseMapping(text: string): CsvMapping {
  const parsed = csvMapping.safeParse(text);
  if (parsed.success && parsed.data !== undefined) return parsed.data;
  throw new InvalidArgumentError(parsed.error?.issues[0]?.message ?? 'Enter a JSON object.');
}

export const mappingOption = (): Option =>
  new Option(
    '--mapping <json>',
    'for CSV: a JSON object that describes its columns, as in the API',
  ).argParser(parseMapping);
