import { parseArgs } from 'node:util';

/** What the command line of a benchmark says; numbers are positive. */
export interface BenchOptions {
  scale: number;
  seed: number;
  rounds: number;
  seconds: number;
  connections: number;
  /** undefined: the best of some is looked for. */
  poolSize: number | undefined;
  operations: string[] | undefined;
  shapes: string[] | undefined;
  isShort: boolean;
  rivals: string[] | undefined;
}

/** The size of the pool where none is looked for. */
export const usualPoolSize = 16;

const meanings = {
  operations: 'which, separated by commas',
  shapes: 'hostile and reads, or hostile:TEXT for those whose title contains the text',
  short: 'yes: judge success alone, for machines that do something else too',
  rivals: 'against which, separated by commas',
  rounds: 'how many rounds, in another order each',
  seconds: 'how long each measurement takes',
  pool: 'size of the pool of every program',
  connections: 'how many connections make load',
  scale: 'size of the database: see bench:data',
  seed: 'of the generated data',
};
type OptionName = keyof typeof meanings;
const isOption = (name: string): name is OptionName => name in meanings;

/**
 * The options that a benchmark has, each with what it uses when nothing is said, or with words for
 * it.
 */
export type Defaults = Readonly<Partial<Record<OptionName, number | string>>>;

const optionsHelp = (defaults: Defaults): string =>
  Object.entries(defaults)
    .map(([name, value]) =>
      isOption(name) ? `  --${name.padEnd(13)}${meanings[name]} (default: ${value})` : '',
    )
    .join('\n');

/** @returns undefined when only help was asked for */
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
  /** A number that is not asked for, and not looked at, is 1. */
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

/** Those that were asked for, in their own order. @throws Error for a name that is none */
export function chosen<T extends { name: string }>(
  all: readonly T[],
  names: readonly string[] | undefined,
): T[] {
  const unknown = names?.filter((name) => !all.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`unknown: ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  }
  return all.filter(({ name }) => names?.includes(name) ?? true);
}
