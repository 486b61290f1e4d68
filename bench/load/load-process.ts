import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { orInterrupted } from '../interruption';
import type { ClosedLoopResult, FloodJob, FloodResult, Job, OpenLoopJob, OpenLoopResult } from './job';

/** Generates load in a separate process, so that its CPU time does not count as the program's. */
export class LoadProcess<J extends Pick<Job, 'requests'>, R> {
  private constructor(private readonly child: ChildProcess) {}

  static closedLoop(): LoadProcess<Job, ClosedLoopResult> {
    return new LoadProcess(fork(path.join(__dirname, 'closed-loop.js')));
  }

  static openLoop(): LoadProcess<OpenLoopJob, OpenLoopResult> {
    return new LoadProcess(fork(path.join(__dirname, 'open-loop.js')));
  }

  static flood(): LoadProcess<FloodJob, FloodResult> {
    return new LoadProcess(fork(path.join(__dirname, 'flood.js')));
  }

  /**
   * @throws Error if the load could not be generated; the result counts rejected and failed
   *   requests
   */
  async run(job: J): Promise<R> {
    if (job.requests.length === 0) throw new Error('no requests to send');
    const over = new AbortController();
    const heard = (event: 'message' | 'exit'): Promise<unknown[]> =>
      once(this.child, event, { signal: over.signal });
    try {
      const { result, error } = await orInterrupted(() => {
        this.child.send(job);
        return Promise.race([
          heard('message').then(([message]) => message as { result?: R; error?: string }),
          heard('exit').then(([code, signal]): never => {
            throw new Error(`the load process ended with ${String(code ?? signal)}`);
          }),
        ]);
      });
      if (result === undefined) throw new Error(error ?? 'the load process returned no result');
      return result;
    } finally {
      over.abort();
    }
  }

  stop(): void {
    this.child.kill();
  }
}
