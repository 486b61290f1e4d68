import { OperatorError } from '../../shared/operator-error';
import type { ImportProblem } from './catalogue';

/** The file has problems. Nothing was written. */
export class ImportRefused extends OperatorError {
  constructor(readonly problems: readonly ImportProblem[]) {
    super(
      `The file was rejected, and nothing changed. Problems:\n${problems.map(describeProblem).join('\n')}`,
    );
  }
}

export const describeProblem = ({ line, field, message }: ImportProblem): string =>
  `  line ${line}: ${field === null ? 'it' : field} ${message}`;
