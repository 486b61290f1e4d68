import { parseArgs } from 'node:util';

/** The options of a benchmark. Numbers are positive. */
export interface BenchOptions {
  scale: number;
  seed: number;
  rounds: number;
  seconds: number;
  connections: number;
  /** undefined: the benchmark tries several sizes and uses the best. */
  poolSize: number | undefined;
  operations: string[] | undefined;
  shapes: string[] | undefined;
  isShort: boolean;
  rivals: string[] | undefined;
}

/** Default pool size if none is searched for. */
export const usualPoolSize = 16;

const meanings = {
  operations: 'operations to measure, separated by commas',
  shapes: 'hostile, reads or both, separated by commas; hostile:TEXT selects loads by title',
  short: 'yes: run every second flood and check only its success rates, for busy machines',
  rivals: 'rivals to compare with, separated by commas',
  rounds: 'number of rounds; the order rotates',
  seconds: 'duration of each measurement',
  pool: 'pool size of every program',
  connections: 'number of load connections',
  scale: 'scale of the database, see npm run bench -- data',
  seed: 'seed of the generated data',
};
type OptionName = keyof typeof meanings;
const isOption = (name: string): name is OptionName => name in meanings;

/** Defines the options of a benchmark, each with its default or a description of the default. */
export type Defaults = Readonly<Partial<Record<OptionName, number | string>>>;

const optionsHelp = (defaults: Defaults): string =>
  Object.entries(defaults)
    .map(([name, value]) =>
      isOption(name) ? `  --${name.padEnd(13)}${meanings[name]} (default: ${value})` : '',
    )
    .join('\n');

/** @returns undefined if only help was requested */
export function readOptions(help: string, defaults: Defaults): BenchOptions | undefined {
  const names = Object.keys(defaults).filter(isOption);
  const given = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
      help: { type: 'boolean' },
    },
  }).values as Partial<Record<OptionName, string>> & { help?: boolean };
  if (given.help) {
    process.stdout.write(`${help}\n\n${optionsHelp(defaults)}\n`);
    return undefined;
  }
  /** An option that this benchmark does not have is 1. */
  const number = (name: OptionName): number => {
    const value = Number(given[name] ?? defaults[name] ?? 1);
    if (!(value > 0)) throw new Error(`--${name} must be a positive number`);
    return value;
  };
  return {
    scale: number('scale'),
    seed: number('seed'),
    rounds: number('rounds'),
    seconds: number('seconds'),
    connections: number('connections'),
    poolSize: given.pool === undefined && typeof defaults.pool !== 'number' ? undefined : number('pool'),
    operations: given.operations?.split(','),
    shapes: (given.shapes ?? defaults.shapes?.toString())?.split(','),
    isShort: given.short === 'yes',
    rivals: given.rivals?.split(','),
  };
}

/** The requested entries, in their original order. @throws Error for an unknown name */
export function chosen<T extends { name: string }>(
  all: readonly T[],
  names: readonly string[] | undefined,
): T[] {
  const unknown = names?.filter((name) => !all.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(
      `unknown names: ${unknown.join(', ')}; known names: ${all.map(({ name }) => name).join(', ')}`,
    );
  }
  return all.filter(({ name }) => names?.includes(name) ?? true);
}
