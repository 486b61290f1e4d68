import type { ClosedLoopResult, Job, OpenLoopJob, OpenLoopResult } from './load/job';
import type { LoadProcess } from './load/load-process';
import type { Round } from './measure/round';
import type { RequestWorld } from './operations';
import type { BenchOptions } from './options';
import type { Contestant } from './programs/contestants';
import type { RunningProgram } from './programs/program';

/** Shared by all comparisons of a run. */
export interface Comparison {
  options: BenchOptions;
  world: RequestWorld;
  serviceUrl: string;
  adminUrl: string;
  logFile: string;
  closedLoop: LoadProcess<Job, ClosedLoopResult>;
  openLoop: LoadProcess<OpenLoopJob, OpenLoopResult>;
}

/** A program under comparison. It is stopped while other programs are measured. */
export interface Runner {
  contestant: Contestant;
  program: RunningProgram;
  poolSize: number | null;
  tried: Record<string, number>;
  rounds: Round[];
}
