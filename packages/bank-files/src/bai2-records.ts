import { fileLimits, limitNumber } from './file-limits';
import { linesOf } from './lines';
import { StatementFileRefused } from './statement-file-refused';

/** A record with its continuations (88). */
export interface BaiRecord {
  line: number;
  code: string;
  /** One list of fields per line of the file, without the record codes. */
  lines: string[][];
  /** For each line, whether it ends without a slash: within a field. */
  cut: boolean[];
  /** The number of fields in all lines. */
  fields: number;
}

/** Removes the slash that ends every line, except within a text. */
const withoutEnd = (line: string): string => line.replace(/\/\s*$/, '');

const nextRecord = /(?<=\/)\s*(?=(?:01|02|03|16|49|88|98|99),)/;

/** Whether the first line has several records. */
const sharesLines = (text: string): boolean => /^\s*01,[^/\r\n]*\/[^\S\r\n]*02,/.test(text);

/**
 * Yields the lines, and the records of a line with several. The text of record 16 may contain a
 * slash, so this splits it only in a file whose records share lines.
 */
function* pieces(text: string): Generator<{ line: number; piece: string }, void> {
  const isShared = sharesLines(text);
  let isText = false;
  for (const { line, raw } of linesOf(text)) {
    if (raw.length > fileLimits.lineLength) throw new StatementFileRefused(`Line ${line} is too long.`);
    if (raw.trim() === '') continue;
    const records = raw.trim().replace(/^88:/, '88,');
    if (!records.startsWith('88,')) isText = records.startsWith('16,');
    for (const piece of isText && !isShared ? [records] : records.split(nextRecord)) yield { line, piece };
  }
}

/** Adds a continuation line. Its fields stay in memory until the record ends. */
function continueRecord(record: BaiRecord, fields: string[], isCut: boolean): void {
  record.lines.push(fields);
  record.cut.push(isCut);
  record.fields += fields.length;
  if (record.lines.length > fileLimits.recordLines || record.fields > fileLimits.recordFields) {
    throw new StatementFileRefused(`The record on line ${record.line} has too many continuations.`);
  }
}

/**
 * Yields each record when the next one begins, because only then is it complete. A file has many
 * records, so this keeps only one.
 */
export function* readRecords(text: string): Generator<BaiRecord, void> {
  let count = 0;
  let last: BaiRecord | undefined;
  for (const { line, piece } of pieces(text)) {
    const content = withoutEnd(piece);
    const [code = '', ...fields] = content.split(',');
    const isCut = content === piece;
    if (code === '88' && last) {
      continueRecord(last, fields, isCut);
    } else if (/^(01|02|03|16|49|98|99)$/.test(code)) {
      if (last) yield last;
      last = { line, code, lines: [fields], cut: [isCut], fields: fields.length };
      count += 1;
      // Half of the records may belong to accounts and groups.
      limitNumber('entries', count / 2);
    } else {
      throw new StatementFileRefused(
        // Replace control characters, which could move the cursor of a terminal.
        `Line ${line} starts with the unknown record code "${code.slice(0, 10).replace(/\p{Cc}/gu, '?')}".`,
      );
    }
  }
  if (last) yield last;
}

const integer = /^[+-]?\d{1,18}$/;
/** Some banks fill amounts with blanks. */
export function integerOf(field: string | undefined): bigint | undefined {
  const text = field?.replace(/\s/g, '');
  return text !== undefined && integer.test(text) ? BigInt(text.replace('+', '')) : undefined;
}

/** The number of fields that a funds type adds (S, V and D). */
export function fundsFields(stated: string | undefined, next: string | undefined): number {
  const type = stated?.toUpperCase();
  if (type === 'S') return 3;
  if (type === 'V') return 2;
  return type === 'D' && /^\d{1,2}$/.test(next ?? '') ? 1 + 2 * Number(next) : 0;
}

/** The fields of all lines. A line may end after any field, and its slash replaces the comma. */
export const fieldsOf = (record: BaiRecord): string[] => record.lines.flat();

/**
 * The text after the fields. It may contain commas, and the bank may wrap it over continuation
 * lines.
 */
export function textAfter({ lines }: BaiRecord, fields: number): string {
  let left = fields;
  const texts = lines.map((line) => {
    const text = line.slice(left).join(',');
    left = Math.max(0, left - line.length);
    return text;
  });
  return texts.filter((text) => text !== '').join('\n');
}

/**
 * The text after the fields as if no line were cut. A bank may cut a line within an id.
 *
 * @returns undefined if no line is cut
 */
export function uncutText({ lines, cut }: BaiRecord, fields: number): string | undefined {
  if (!cut.slice(0, -1).includes(true)) return undefined;
  const text = lines.map((line, at) => line.join(',') + (cut[at] ? '' : ',')).join('');
  return text.split(',').slice(fields).join(',').slice(0, fileLimits.textLength);
}
