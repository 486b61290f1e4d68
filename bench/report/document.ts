import type { BenchResult, OperationResult } from '../results';
import { barPlot } from './plot';
import { number, operationRows, tableHead } from './table';

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
            ...targets.map(({ text, ratio, isMet }) => [text, number(ratio, 2), isMet ? 'yes' : 'no']),
          ]),
        ]),
    ...skipped.map((reason) => `Not measured: ${reason}.`),
  ].join('\n\n');
}

/** @returns docs/performance.md and its pictures, by path below docs */
export function documentOf(result: BenchResult): Record<string, string> {
  const { machine, rounds, seconds, connections, scale, seed, operations } = result;
  const { postgresSettings: settings } = machine;
  const text = [
    '# Performance',
    `Made by \`npm run bench:document\` from a run of \`${machine.command}\` at ${machine.at}, commit ${machine.commit}. What is measured and how is in [bench/README.md](../bench/README.md).`,
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
      ['Load of the machine before', machine.load.toFixed(2)],
      ['Run', `${rounds} rounds of ${seconds} s, ${connections} connections, scale ${scale}, seed ${seed}`],
    ]),
    ...operations.map(section),
  ].join('\n\n');
  return {
    'performance.md': `${text}\n`,
    ...Object.fromEntries(
      operations.map((operation) => [`performance/${operation.name}.svg`, plotOf(operation)]),
    ),
  };
}
