/** The number of rows for a test of query plans: `PLAN_ROWS`, or this one. */
export const planRows = (byDefault: number): number => Number(process.env['PLAN_ROWS'] ?? byDefault);

/** A step of a plan, as EXPLAIN (ANALYZE, FORMAT JSON) prints it. */
export interface AnalyzedPlan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Heap Fetches'?: number;
  Plans?: AnalyzedPlan[];
}

/** The number of rows that a step read, including rows that were filtered out or only counted. */
export const rowsOfStep = (step: AnalyzedPlan): number =>
  (step['Actual Rows'] +
    (step['Rows Removed by Filter'] ?? 0) +
    (step['Rows Removed by Index Recheck'] ?? 0)) *
  step['Actual Loops'];

/** Adds the counts of a step and of all steps below it. */
export const sumOfSteps = (plan: AnalyzedPlan, count: (step: AnalyzedPlan) => number): number =>
  (plan.Plans ?? []).reduce((sum, step) => sum + sumOfSteps(step, count), count(plan));

const describe = (plan: AnalyzedPlan): string[] => [
  `${plan['Node Type']} ${plan['Index Name'] ?? plan['Relation Name'] ?? ''}`.trim(),
  ...(plan.Plans ?? []).flatMap(describe),
];

/** Prints the time and the plan of a statement, if `PLAN_ROWS` is set. */
export function reportTime(name: string, milliseconds: number, plan: AnalyzedPlan): void {
  if (process.env['PLAN_ROWS'] === undefined) return;
  process.stdout.write(`${name}: ${milliseconds.toFixed(1)} ms; ${describe(plan).join(', ')}\n`);
}
