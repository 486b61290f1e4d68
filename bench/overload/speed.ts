import type { ClosedLoopResult, Job } from '../load/job';
import type { LoadProcess } from '../load/load-process';
import type { RequestWorld } from '../operations';
import type { RunningProgram } from '../programs/program';
import { say } from '../say';
import { requestsOf } from './cast';

/** What a new process of the service does on this machine, after two seconds of warming up. */
export async function createsPerSecond(
  program: RunningProgram,
  world: RequestWorld,
  closedLoop: LoadProcess<Job, ClosedLoopResult>,
): Promise<number> {
  try {
    const requests = await requestsOf('create', world, 2_000);
    const job = { url: program.url, connections: 32, requests, once: false, seconds: 2 };
    await closedLoop.run(job);
    const { succeeded, seconds } = await closedLoop.run(job);
    say(`${Math.round(succeeded / seconds)} creates per second on this machine`);
    return succeeded / seconds;
  } finally {
    await program.stop();
  }
}
