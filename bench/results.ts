import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { ProcessorUse } from './citus/processor-use';
import type { FloodResult, OpenLoopResult } from './load/job';
import type { Round } from './measure/round';
import type { Summary } from './measure/statistics';
import type { BenchOptions } from './options';
import type { Watched } from './overload/watch';
import { say } from './say';
import type { Machine } from './world/machine';

/** One program at a fixed rate that every program can serve. */
export interface FixedRate {
  requestsPerSecond: number;
  /**
   * Medians of the rounds in milliseconds, for successful responses, from when a request was due.
   */
  p50: number;
  p99: number;
  /** Responses with another status, in all rounds. */
  refused: number;
  rounds: OpenLoopResult[];
}

/** One program at one operation. */
export interface ProgramResult {
  name: string;
  title: string;
  /** null: the program has no pool. */
  poolSize: number | null;
  /** Requests per second with each pool size. */
  triedPoolSizes: Record<string, number>;
  rounds: Round[];
  requestsPerSecond: Summary;
  p50: Summary;
  /** Medians in milliseconds; null if CPU time is unknown. */
  nodeMilliseconds: number | null;
  postgresMilliseconds: number | null;
  /** Absent if it was not measured at a fixed rate. */
  atFixedRate?: FixedRate;
}

export interface TargetResult {
  text: string;
  ratio: number;
  bound: number;
  /** Compares the medians. */
  isMet: boolean;
  /**
   * Whether the result is uncertain: the range of the service's rounds overlaps the range of the
   * rival's rounds, multiplied by the bound.
   */
  rangesOverlap: boolean;
}

export interface OperationResult {
  name: string;
  title: string;
  programs: ProgramResult[];
  targets: TargetResult[];
  /** Failed measurements, with reasons. */
  skipped: string[];
}

/** The output of `npm run bench`. `docs/performance.md` is generated from it. */
export interface BenchResult {
  machine: Machine;
  rounds: number;
  seconds: number;
  connections: number;
  scale: number;
  seed: number;
  operations: OperationResult[];
}

/** The output of `npm run bench:scale`. */
export interface ScaleResult {
  machine: Machine;
  options: BenchOptions;
  operations: {
    name: string;
    title: string;
    small: Round[];
    large: Round[];
    /** Large scale divided by small scale. */
    ratios: { throughput: number; p50: number };
    isMet: boolean;
  }[];
  extremes: { title: string; elements: number; usualElements: number; ratio: number; isMet: boolean }[];
}

/** The service under one load. */
export interface OverloadRun {
  title: string;
  /** Saturating reads per second, measured immediately before and after; not after the soak. */
  peakBefore: number;
  peakAfter?: number;
  /** Reads sent per second. */
  requestsPerSecond: number;
  reads: OpenLoopResult;
  completions: OpenLoopResult;
  watched: Watched;
}

/** The results of the bank and the partner under one hostile load. */
export interface HostileRun {
  title: string;
  /** The figures of the bank and the partner; absent for bursts. */
  completions?: OpenLoopResult;
  creates?: OpenLoopResult;
  burst?: FloodResult & { expected: number; isAlone: boolean };
  floods: FloodResult[];
  watched: Watched;
}

/** The output of `npm run bench:overload`. */
export interface OverloadResult {
  machine: Machine;
  options: BenchOptions;
  targets: { text: string; value: number; isMet: boolean }[];
  runs: OverloadRun[];
  hostile: HostileRun[];
  /** Requests per second by number of processes. */
  processes: Record<string, number>;
}

/** A figure with its target. The bound is infinite if it has none. */
export interface Figure {
  text: string;
  value: number;
  comparison: '≤' | '≥';
  bound: number;
  isMet: boolean;
}

/** The output of `npm run bench -- webhooks`, `batch` and `statements`. */
export interface FiguresResult {
  machine: Machine;
  seconds: number;
  figures: Figure[];
}

/** The output of `npm run bench -- citus`. */
export interface CitusResult {
  /** Share of CPU time that other programs used in the second before the run. */
  busy: number;
  rounds: number;
  /** Milliseconds of one request at a time, by database and operation. */
  medians: Record<string, Record<string, number>>;
  /** What the coordinator sends to workers, by operation. */
  commands: Record<string, string[]>;
  /** CPU milliseconds of one request under load, by database and operation. */
  processorUse: Record<string, Record<string, ProcessorUse>>;
  figures: Figure[];
}

export const figure = (
  text: string,
  value: number,
  comparison: Figure['comparison'],
  bound: number,
): Figure => ({
  text,
  value,
  comparison,
  bound,
  isMet: comparison === '≥' ? value >= bound : value <= bound,
});

/** Writes a result to reports/. @returns the file */
export function writeResult(
  name: string,
  result: BenchResult | ScaleResult | OverloadResult | FiguresResult | CitusResult,
): string {
  mkdirSync('reports', { recursive: true });
  const file = path.join('reports', `${name}.json`);
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
  return file;
}

/** Prints and stores figures. @returns whether all targets are met */
export function reportFigures(bench: string, result: FiguresResult): boolean {
  for (const { text, value, comparison, bound, isMet } of result.figures)
    say(`${isMet ? 'met' : 'NOT MET'}: ${text}: ${value.toFixed(1)} ${comparison} ${bound}`);
  say(writeResult(`bench-${bench}`, result));
  return result.figures.every(({ isMet }) => isMet);
}
