import { comparedOperations } from '../operations';
import { figuresOf } from '../overload/figures';
import type {
  BenchResult,
  HostileRun,
  OperationResult,
  OverloadResult,
  ScaleResult,
  FiguresResult,
} from '../results';
import { leastThroughput, mostMedian, mostPerElement, smallScale } from '../scale/bounds';
import { type Machine, warningsOfLoad } from '../world/machine';
import { barPlot } from './plot';
import { number, operationRows, overlap, refusals, runRows, runsHead, tableHead } from './table';

const markdownTable = ([head = [], ...rows]: readonly (readonly string[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const plotOf = ({ title, programs }: OperationResult): string =>
  barPlot(
    `${title}: requests per second, median and spread of the rounds`,
    programs.map(({ title: label, requestsPerSecond: { median, minimum, maximum } }) => ({
      label,
      value: median,
      from: minimum,
      to: maximum,
    })),
  );

function section(operation: OperationResult): string {
  const { name, title, targets, skipped } = operation;
  return [
    `## ${title[0]?.toUpperCase() ?? ''}${title.slice(1)}`,
    `![Requests per second of each program](performance/${name}.svg)`,
    markdownTable([tableHead, ...operationRows(operation)]),
    ...(targets.length === 0
      ? []
      : [
          markdownTable([
            ['Target', 'Found', 'Met'],
            ...targets.map(({ text, ratio, isMet, rangesOverlap }) => [
              text,
              number(ratio, 2),
              yesOrNo(isMet) + overlap(rangesOverlap),
            ]),
          ]),
        ]),
    ...refusals(operation).map((text) => `${text}.`),
    ...skipped.map((reason) => `Not measured: ${reason}.`),
  ].join('\n\n');
}

/** Lists skipped operations, so that readers notice them. */
function notMeasured(operations: readonly OperationResult[]): string[] {
  const missing = comparedOperations.filter(({ name }) => !operations.some((one) => one.name === name));
  return missing.length === 0
    ? []
    : [`Not measured in this run: ${missing.map(({ title }) => title).join(', ')}.`];
}

const yesOrNo = (isMet: boolean): string => (isMet ? 'yes' : 'no');

const madeBy = ({ command, at, commit }: Machine): string => `\`${command}\` at ${at}, commit ${commit}`;

/** The same requests on a large and on a small database. */
function scaleSection({ machine, options, operations, extremes }: ScaleResult): string[] {
  return [
    '## As the data grows',
    `Measured by ${madeBy(machine)}: ${options.rounds} rounds of ${options.seconds} s at each scale. Ratios of medians, scale ${options.scale} to scale ${smallScale}.`,
    ...warningsOfLoad(machine),
    markdownTable([
      ['Operation', 'Throughput', 'p50', `Met: ≥ ${leastThroughput}, ≤ ${mostMedian}`],
      ...operations.map(({ title, ratios, isMet }) => [
        title,
        number(ratios.throughput, 2),
        number(ratios.p50, 2),
        yesOrNo(isMet),
      ]),
    ]),
    markdownTable([
      ['Time per element, relative to a typical case', 'Elements', 'Ratio', `Met: ≤ ${mostPerElement}`],
      ...extremes.map(({ title, elements, ratio, isMet }) => [
        title,
        number(elements),
        number(ratio, 2),
        yesOrNo(isMet),
      ]),
    ]),
  ];
}

const percent = (share: number | undefined): string =>
  share === undefined ? '–' : `${number(share * 100, share === 1 ? 0 : 1)} %`;
const milliseconds = (value: number | undefined): string =>
  value === undefined ? '–' : `${number(value)} ms`;

/** The results of a bank and a partner under each flood, and of each burst. */
function hostileTables(runs: readonly HostileRun[]): string[] {
  const row = (run: HostileRun, ...cells: readonly string[]): string[] => [
    run.title,
    ...cells,
    `${number(figuresOf(run)['megabytes'])} MB`,
  ];
  return [
    markdownTable([
      ['Flood', "A bank's completions", 'p99', "A partner's creates", 'p99', 'Memory'],
      ...runs
        .filter(({ burst }) => !burst)
        .map((run) => {
          const found = figuresOf(run);
          return row(
            run,
            percent(found['completed']),
            milliseconds(found['completions p99']),
            percent(found['created']),
            milliseconds(found['creates p99']),
          );
        }),
    ]),
    markdownTable([
      ['Burst', 'Succeeded', 'Last response after', 'Memory'],
      ...runs
        .filter(({ burst }) => burst)
        .map((run) => {
          const found = figuresOf(run);
          return row(run, percent(found['succeeded']), milliseconds(found['last after']));
        }),
    ]),
  ];
}

function overloadSection(result: OverloadResult): string[] {
  const { machine, options, hostile, processes } = result;
  // The tables of floods and bursts already show these.
  const targets = result.targets.filter(
    ({ text }) => !hostile.some(({ title }) => text.startsWith(`${title}: `)),
  );
  const [one = NaN, two = NaN] = [processes['1'], processes['2']];
  return [
    '## Under overload',
    `Measured by ${madeBy(machine)}: ${options.seconds} s at each rate. The peak is the saturating throughput, measured before and after each rate. Shares of the peak refer to the mean of both.`,
    ...warningsOfLoad(machine),
    markdownTable([runsHead, ...runRows(result)]),
    markdownTable([
      ['Target', 'Found', 'Met'],
      ...targets.map(({ text, value, isMet }) => [text, number(value, 2), yesOrNo(isMet)]),
    ]),
    ...(hostile.length > 0 ? hostileTables(hostile) : []),
    `Requests per second with one process: ${number(one)}. With two: ${number(two)}. PostgreSQL and the load share the CPUs (${machine.processors}).`,
  ];
}

/** The benchmarks that compare figures with targets, in the order of their sections. */
export const figureBenches = {
  webhooks: {
    title: '## Webhooks',
    how: 's at each rate, over https, with the receivers on the same machine',
  },
  feed: {
    title: '## Cost of the event feed',
    how: 's at each measurement. The load and PostgreSQL run on the same machine',
  },
  batch: {
    title: '## Completion files',
    how: 's beside single calls. Each file has 10,000 lines. The load runs on the same machine',
  },
  statements: {
    title: '## Bank statements',
    how: 's at least beside creates. The load and PostgreSQL run on the same machine',
  },
} as const;

export type FigureBench = keyof typeof figureBenches;
export type FigureResults = Readonly<Partial<Record<FigureBench, FiguresResult>>>;

const benchesOf = (results: FigureResults): FigureBench[] =>
  (Object.keys(figureBenches) as FigureBench[]).filter((name) => results[name]);

function figuresSection(name: FigureBench, { machine, seconds, figures }: FiguresResult): string[] {
  const { title, how } = figureBenches[name];
  return [
    title,
    `Measured by \`npm run bench -- ${name}\` at ${machine.at}, commit ${machine.commit}: ${seconds} ${how} (${machine.processors}). Other programs used ${(machine.busy * 100).toFixed(1)} % of the CPUs in the second before.`,
    ...warningsOfLoad(machine),
    markdownTable([
      ['Figure', 'Found', 'Target', 'Met'],
      ...figures.map(({ text, value, comparison, bound, isMet }) => [
        text,
        number(value),
        // JSON has no infinity: the figure has no target.
        ...(Number.isFinite(bound) ? [`${comparison} ${number(bound)}`, yesOrNo(isMet)] : ['–', '–']),
      ]),
    ]),
  ];
}

const sectionsOf = (results: FigureResults): string[] =>
  benchesOf(results).flatMap((name) => {
    const result = results[name];
    return result ? figuresSection(name, result) : [];
  });

/** Replaces the sections with these titles, and puts them at the end of the document. */
export function withFigures(document: string, results: FigureResults): string {
  const titles = benchesOf(results).map((name) => figureBenches[name].title);
  const kept = document
    .split(/^(?=## )/m)
    .filter((section) => !titles.some((title) => section.startsWith(`${title}\n`)));
  return [kept.join('').trimEnd(), ...sectionsOf(results)].join('\n\n') + '\n';
}

/**
 * @returns docs/performance.md and its plots, by path below docs; skips sections without results
 */
export function documentOf(
  result: BenchResult,
  scaleResult: ScaleResult | undefined,
  overloadResult: OverloadResult | undefined,
  figureResults: FigureResults,
): Record<string, string> {
  const { machine, rounds, seconds, connections, scale, seed, operations } = result;
  const { postgresSettings: settings } = machine;
  const text = [
    '# Performance',
    `\`npm run bench -- report\` generates this document. It shows the results of ${madeBy(machine)}. [bench/README.md](../bench/README.md) describes the measurements, [where the time goes](../bench/README.md#where-the-time-goes), and experiments that made no difference.`,
    markdownTable([
      ['Item', 'Value'],
      ['CPUs', machine.processors],
      ['Memory', `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
      ['System', machine.operatingSystem],
      ['Node.js', machine.node],
      [
        'PostgreSQL',
        `${machine.postgres}, ${Object.entries(settings)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')}`,
      ],
      ['CPU use by other programs in the second before', `${(machine.busy * 100).toFixed(0)} %`],
      ['Run', `${rounds} rounds of ${seconds} s, ${connections} connections, scale ${scale}, seed ${seed}`],
    ]),
    ...warningsOfLoad(machine),
    ...operations.map(section),
    ...notMeasured(operations),
    ...(scaleResult ? scaleSection(scaleResult) : []),
    ...(overloadResult ? overloadSection(overloadResult) : []),
    ...sectionsOf(figureResults),
  ].join('\n\n');
  return {
    'performance.md': `${text}\n`,
    ...Object.fromEntries(
      operations.map((operation) => [`performance/${operation.name}.svg`, plotOf(operation)]),
    ),
  };
}
