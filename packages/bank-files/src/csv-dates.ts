import { dayOf } from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

const languages = ['en', 'de', 'nl', 'fr', 'es', 'it', 'pt'];

const plainWord = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase();

/** The numbers of months by their names in the languages of the banks, short and long. */
const months: ReadonlyMap<string, string> = new Map(
  languages.flatMap((language) =>
    (['short', 'long'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, at): [string, string] => [
        plainWord(format.format(Date.UTC(2026, at, 15))),
        String(at + 1),
      ]);
    }),
  ),
);

const monthOf = (word: string): string | undefined => {
  const plain = plainWord(word);
  return months.get(plain) ?? months.get(plain.slice(0, 3));
};

/** A time after a date, with its zone. */
const time = '(?:[T,\\s]\\s*\\d{1,2}[:.]\\d\\d[\\d:.,+\\-\\sA-Za-z]*)?';

/**
 * @param format see `CsvMapping`
 * @returns a function that reads a date as YYYY-MM-DD, or undefined if it is none
 * @throws StatementFileRefused for a format without a year, a month or a day
 */
export function dateReader(format: string): (text: string) => string | undefined {
  const names = format.match(/YYYY|YY|MMM|MM|DD/g) ?? [];
  const place = (start: string): number => names.findIndex((name) => name.startsWith(start));
  if (names.length !== 3 || ['Y', 'M', 'D'].some((start) => place(start) < 0)) {
    throw new StatementFileRefused(`The date format ${JSON.stringify(format.slice(0, 20))} is unknown.`);
  }
  const isFixed = names.join('') === format;
  const patterns: Record<string, string> = { YYYY: '(\\d{4})', YY: '(\\d\\d)', MMM: '(\\p{L}+)\\.?' };
  const number = isFixed ? '(\\d\\d)' : '(\\d{1,2})';
  const pattern = format
    .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    .replace(/YYYY|YY|MMM|MM|DD/g, (name) => patterns[name] ?? number)
    .replace(/ +/g, '\\s+');
  const expected = new RegExp(`^${pattern}${time}$`, 'u');
  return (text) => {
    const [, ...parts] = expected.exec(text.trim()) ?? [];
    const [year = '', month = '', day = ''] = ['Y', 'M', 'D'].map((start) => parts[place(start)]);
    const number = /\d/.test(month) ? month : (monthOf(month) ?? '');
    return dayOf(`${year.padStart(4, '20')}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`);
  };
}
