import { OperatorError } from '../../shared/operator-error';
import type { ImportProblem } from './catalogue';

/** A file with something wrong in it. Nothing was written. */
export class ImportRefused extends OperatorError {
  constructor(readonly problems: readonly ImportProblem[]) {
    super(
      `The file is not imported, nothing was changed. What is wrong with it:\n${problems.map(describeProblem).join('\n')}`,
    );
  }
}

export const describeProblem = ({ line, field, message }: ImportProblem): string =>
  `  line ${line}: ${field === null ? 'it' : field} ${message}`;
