import { OperatorError } from '../../shared/operator-error';
import { groupBy } from '../../shared/group-by';
import type { ImportProblem } from './catalogue';

/** The file has problems. Nothing was written. */
export class ImportRefused extends OperatorError {
  constructor(readonly problems: readonly ImportProblem[]) {
    super(`The file was rejected, and nothing changed. Problems:\n${describeProblems(problems)}`);
  }
}

/** The number of lines that an equal problem names. */
const mostLines = 5;

/** Problems as lines of text. Equal ones share a line. `--json` has each of them. */
export const describeProblems = (problems: readonly ImportProblem[]): string =>
  [...groupBy(problems, ({ field, message }) => `${field ?? 'it'} ${message}`)]
    .map(([problem, equal]) => {
      const lines = equal.slice(0, mostLines).map(({ line }) => line);
      const others = equal.length - lines.length;
      const more = others > 0 ? ` and ${others} more` : '';
      return `  line${equal.length === 1 ? '' : 's'} ${lines.join(', ')}${more}: ${problem}`;
    })
    .join('\n');
