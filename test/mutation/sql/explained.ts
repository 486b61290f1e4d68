/**
 * Mutants that mean the same as the statement does, so that no test can notice them, with the reason. They are tried all the
 * same: a mutant in this list that a test does notice makes the run fail.
 */
interface Explanation {
  subject: string;
  key: string;
  reason: string;
}

const explanations: readonly Explanation[] = [];

/** Why no test can notice a mutant; undefined when one should. */
export function explanationOf(subject: string, key: string): string | undefined {
  return explanations.find((one) => one.subject === subject && one.key === key)?.reason;
}
