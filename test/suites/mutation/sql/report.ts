import type { Result, Verdict } from './task';

const verdicts: readonly Verdict[] = ['killed', 'survived', 'explained', 'invalid'];

/** A table with a line for each statement and table, followed by survived and invalid mutants. */
export function report(results: readonly Result[]): string {
  const subjects = [...new Set(results.map(({ subject }) => subject))];
  const count = (of: readonly Result[], verdict: Verdict): number =>
    of.filter((result) => result.verdict === verdict).length;
  const lines = [...subjects, undefined].map((subject) => {
    const of = subject === undefined ? results : results.filter((result) => result.subject === subject);
    return [subject ?? 'all', of.length, ...verdicts.map((verdict) => count(of, verdict))];
  });
  const table = [['', 'mutants', ...verdicts], ...lines].map(([subject, ...counts]) =>
    [String(subject).padEnd(28), ...counts.map((cell) => String(cell).padStart(11))].join(''),
  );
  const others = results
    .filter(({ verdict }) => verdict !== 'killed')
    .map(
      ({ verdict, subject, key, by }) =>
        `${verdict}: ${subject}: ${key}${by === undefined ? '' : ` (${by})`}`,
    );
  return [...table, '', ...others].join('\n');
}
