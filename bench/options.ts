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
  rivals: string[] | undefined;
}

export const optionsHelp = `
  --operations a,b   which (default: all)
  --rivals a,b       against which (default: all)
  --rounds 7         how many rounds, the programs in another order in each
  --seconds 8        how long each program is measured in each round
  --pool 16          of every program (default: its best, found in a short sweep)
  --connections 32   how many connections make load
  --scale 0.001      size of the database: see bench:data
  --seed 1           of the generated data`;

/**
 * @param defaults what this benchmark uses when nothing is said
 * @returns undefined when only help was asked for
 */
export function readOptions(help: string, defaults: Partial<BenchOptions> = {}): BenchOptions | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      operations: text,
      rivals: text,
      rounds: text,
      seconds: text,
      connections: text,
      pool: text,
      scale: text,
      seed: text,
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(`${help}\n${optionsHelp}\n`);
    return undefined;
  }
  const number = (
    name: 'scale' | 'seed' | 'rounds' | 'seconds' | 'connections',
    byDefault: number,
  ): number => {
    const value = values[name] === undefined ? (defaults[name] ?? byDefault) : Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} must be a positive number`);
    return value;
  };
  return {
    scale: number('scale', 0.001),
    seed: number('seed', 1),
    rounds: number('rounds', 7),
    seconds: number('seconds', 8),
    connections: number('connections', 32),
    poolSize: values.pool === undefined ? undefined : Number(values.pool),
    operations: values.operations?.split(','),
    rivals: values.rivals?.split(','),
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
