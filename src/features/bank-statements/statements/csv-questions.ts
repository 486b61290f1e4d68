import { type CsvQuestion, StatementFileRefused } from '@contribution-service/bank-files';

/** The members of a mapping that answer a question. */
const members: Readonly<Record<CsvQuestion['looksLike'], string>> = {
  direction: '`direction`',
  status: '`status`',
  fee: '`fee`',
  currency: '`currency` or `currency_code`',
};

const sentenceOf = ({ column, looksLike, values }: CsvQuestion): string => {
  const examples = values.length > 0 ? ` (${values.join(', ')})` : '';
  return `The column "${column}"${examples} looks like a ${looksLike}. Map it with ${members[looksLike]}, or list it in \`ignore\`.`;
};

/** What a person must say about columns that are not mapped, as sentences. */
export const questionTexts = (questions: readonly CsvQuestion[]): string[] => questions.map(sentenceOf);

/** @throws StatementFileRefused if columns that are not mapped may change what the lines mean */
export function checkQuestions(questions: readonly CsvQuestion[] = []): void {
  if (questions.length > 0) throw new StatementFileRefused(questionTexts(questions).join(' '));
}
