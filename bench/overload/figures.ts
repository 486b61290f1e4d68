import type { OpenLoopResult } from '../load/job';
import type { HostileRun } from '../results';

const succeeded = ({ due, sinceDue }: OpenLoopResult, status: string): number =>
  (sinceDue[status]?.count ?? 0) / due;

const mostMegabytes = ({ watched }: HostileRun): number => Math.max(0, ...watched.residentBytes) / 1024 ** 2;

/** Figures of one run: shares of 1, milliseconds and megabytes. */
export function figuresOf(run: HostileRun): Record<string, number> {
  const { completions, creates, burst } = run;
  return {
    ...(completions && {
      completed: succeeded(completions, '200'),
      'completions p99': completions.sinceDue['200']?.p99 ?? NaN,
    }),
    ...(creates && {
      created: succeeded(creates, '201'),
      'creates p99': creates.sinceDue['201']?.p99 ?? NaN,
    }),
    ...(burst && {
      succeeded: ((burst.responses['200'] ?? 0) + (burst.responses['201'] ?? 0)) / burst.expected,
      'last after': burst.milliseconds.max,
    }),
    megabytes: mostMegabytes(run),
  };
}

/**
 * Compares the figures that have targets with these targets.
 *
 * @param withTimes whether to compare durations too, which need an otherwise idle machine
 */
export function judgeHostile(runs: readonly HostileRun[], withTimes: boolean) {
  const bounds: Record<string, { comparison: '≥' | '≤'; bound: number; isTime?: boolean }> = {
    completed: { comparison: '≥', bound: 0.99 },
    created: { comparison: '≥', bound: 0.99 },
    'completions p99': { comparison: '≤', bound: 500, isTime: true },
    'creates p99': { comparison: '≤', bound: 500, isTime: true },
    succeeded: { comparison: '≥', bound: 1 },
    'last after': { comparison: '≤', bound: 2_000, isTime: true },
    megabytes: { comparison: '≤', bound: 250 },
  };
  return runs.flatMap((run) =>
    Object.entries(figuresOf(run)).flatMap(([name, value]) => {
      const judged = bounds[name];
      if (!judged || (judged.isTime && !withTimes)) return [];
      const bound = name === 'last after' && run.burst?.isAlone === false ? 4_000 : judged.bound;
      const isMet = judged.comparison === '≥' ? value >= bound : value <= bound;
      return [{ text: `${run.title}: ${name} ${judged.comparison} ${bound}`, value, isMet }];
    }),
  );
}
