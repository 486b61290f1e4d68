import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { FloodResult, OpenLoopResult } from './load/job';
import type { Round } from './measure/round';
import type { Summary } from './measure/statistics';
import type { BenchOptions } from './options';
import type { Watched } from './overload/watch';
import type { Machine } from './world/machine';

/** One program at a rate that every program can keep up with. */
export interface FixedRate {
  requestsPerSecond: number;
  /** Medians of the rounds in milliseconds, of what was answered, from when a request was due. */
  p50: number;
  p99: number;
  /** Answered with another status, in all rounds. */
  refused: number;
  rounds: OpenLoopResult[];
}

/** One program at one operation. */
export interface ProgramResult {
  name: string;
  title: string;
  /** null: it has no pool. */
  poolSize: number | null;
  /** Requests a second with each size of the pool. */
  triedPoolSizes: Record<string, number>;
  rounds: Round[];
  requestsPerSecond: Summary;
  p50: Summary;
  /** Medians in milliseconds; null where processor time cannot be known. */
  nodeMilliseconds: number | null;
  postgresMilliseconds: number | null;
  /** Absent for what was not measured so. */
  atFixedRate?: FixedRate;
}

export interface TargetResult {
  text: string;
  ratio: number;
  bound: number;
  /** By the medians. */
  isMet: boolean;
  /**
   * The rounds of the service and those of the rival, times the bound, are not apart: it cannot be
   * told.
   */
  rangesOverlap: boolean;
}

export interface OperationResult {
  name: string;
  title: string;
  programs: ProgramResult[];
  targets: TargetResult[];
  /** What was not measured, and why. */
  skipped: string[];
}

/** What `npm run bench` writes; `docs/performance.md` is made from it. */
export interface BenchResult {
  machine: Machine;
  rounds: number;
  seconds: number;
  connections: number;
  scale: number;
  seed: number;
  operations: OperationResult[];
}

/** What `npm run bench:scale` writes. */
export interface ScaleResult {
  machine: Machine;
  options: BenchOptions;
  operations: {
    name: string;
    title: string;
    small: Round[];
    large: Round[];
    /** Of the large side to the small one. */
    ratios: { throughput: number; p50: number };
    isMet: boolean;
  }[];
  extremes: { title: string; elements: number; usualElements: number; ratio: number; isMet: boolean }[];
}

/** The service under one load. */
export interface OverloadRun {
  title: string;
  /** Reads a second that saturate it, measured immediately before and after; not after the soak. */
  peakBefore: number;
  peakAfter?: number;
  /** Reads a second that were sent. */
  requestsPerSecond: number;
  reads: OpenLoopResult;
  completions: OpenLoopResult;
  watched: Watched;
}

/** A hostile load, and what became of the others. */
export interface HostileRun {
  title: string;
  /** The bank's and the partner's; absent in a burst. */
  completions?: OpenLoopResult;
  creates?: OpenLoopResult;
  burst?: FloodResult & { expected: number; isAlone: boolean };
  floods: FloodResult[];
  watched: Watched;
}

/** What `npm run bench:overload` writes. */
export interface OverloadResult {
  machine: Machine;
  options: BenchOptions;
  targets: { text: string; value: number; isMet: boolean }[];
  runs: OverloadRun[];
  hostile: HostileRun[];
  /** Requests a second by number of processes. */
  processes: Record<string, number>;
}

/** Writes a result to reports/. @returns the file */
export function writeResult(name: string, result: BenchResult | ScaleResult | OverloadResult): string {
  mkdirSync('reports', { recursive: true });
  const file = path.join('reports', `${name}.json`);
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
  return file;
}
