/** The number of rows for a test of query plans: `PLAN_ROWS`, or this one. */
export const planRows = (byDefault: number): number => Number(process.env['PLAN_ROWS'] ?? byDefault);

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Node[];
}

const describe = (plan: Node): string[] => [
  `${plan['Node Type']} ${plan['Index Name'] ?? plan['Relation Name'] ?? ''}`.trim(),
  ...(plan.Plans ?? []).flatMap(describe),
];

/** Prints the time and the plan of a statement, if `PLAN_ROWS` is set. */
export function reportTime(name: string, milliseconds: number, plan: Node): void {
  if (process.env['PLAN_ROWS'] === undefined) return;
  process.stdout.write(`${name}: ${milliseconds.toFixed(1)} ms; ${describe(plan).join(', ')}\n`);
}
