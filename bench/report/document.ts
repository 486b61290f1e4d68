import { comparedOperations } from '../operations';
import type { BenchResult, OperationResult, OverloadResult, ScaleResult } from '../results';
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
    `${title}: requests a second, median and spread of the rounds`,
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
    `![Requests a second of each program](performance/${name}.svg)`,
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

/** Said, so that a program that refused, or an operation that was left out, is not overlooked. */
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
    `From ${madeBy(machine)}: ${options.rounds} rounds of ${options.seconds} s on each side. Ratios of the medians, scale ${options.scale} to scale ${smallScale}.`,
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
      ['Time for each element, against the usual', 'Elements', 'Ratio', `Met: ≤ ${mostPerElement}`],
      ...extremes.map(({ title, elements, ratio, isMet }) => [
        title,
        number(elements),
        number(ratio, 2),
        yesOrNo(isMet),
      ]),
    ]),
  ];
}

function overloadSection(result: OverloadResult): string[] {
  const { machine, options, targets, processes } = result;
  const [one = NaN, two = NaN] = [processes['1'], processes['2']];
  return [
    '## Under overload',
    `From ${madeBy(machine)}: ${options.seconds} s at each rate. The peak is what saturates it, measured before and after; a share of the peak is one of the mean of both.`,
    ...warningsOfLoad(machine),
    markdownTable([runsHead, ...runRows(result)]),
    markdownTable([
      ['Target', 'Found', 'Met'],
      ...targets.map(({ text, value, isMet }) => [text, number(value, 2), yesOrNo(isMet)]),
    ]),
    `Requests a second with one process and with two, PostgreSQL and the load on the same processors (${machine.processors}): ${number(one)} and ${number(two)}.`,
  ];
}

/** @returns docs/performance.md and its pictures, by path below docs; without what was not measured */
export function documentOf(
  result: BenchResult,
  scaleResult: ScaleResult | undefined,
  overloadResult: OverloadResult | undefined,
): Record<string, string> {
  const { machine, rounds, seconds, connections, scale, seed, operations } = result;
  const { postgresSettings: settings } = machine;
  const text = [
    '# Performance',
    `Made by \`npm run bench:document\` from ${madeBy(machine)}. What is measured and how is in [bench/README.md](../bench/README.md); where the time goes, and what was tried, in [decision 33](decisions/0033-speed-without-leaving-express.md).`,
    markdownTable([
      ['What', 'Which'],
      ['Processors', machine.processors],
      ['Memory', `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
      ['System', machine.operatingSystem],
      ['Node.js', machine.node],
      [
        'PostgreSQL',
        `${machine.postgres}, ${Object.entries(settings)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')}`,
      ],
      ['Processors busy with others in the second before', `${(machine.busy * 100).toFixed(0)} %`],
      ['Run', `${rounds} rounds of ${seconds} s, ${connections} connections, scale ${scale}, seed ${seed}`],
    ]),
    ...warningsOfLoad(machine),
    ...operations.map(section),
    ...notMeasured(operations),
    ...(scaleResult ? scaleSection(scaleResult) : []),
    ...(overloadResult ? overloadSection(overloadResult) : []),
  ].join('\n\n');
  return {
    'performance.md': `${text}\n`,
    ...Object.fromEntries(
      operations.map((operation) => [`performance/${operation.name}.svg`, plotOf(operation)]),
    ),
  };
}
