/** A process that runs autocannon: one job for each message, one answer for each job. */
import autocannon from 'autocannon';

import type { ClosedLoopResult, Job } from './job';

function run({ url, connections, seconds, requests, once }: Job): Promise<ClosedLoopResult> {
  let place = 0;
  const nextRequest = (request: autocannon.Request): autocannon.Request => {
    const next = requests[place % requests.length];
    place += 1;
    return { ...request, ...next };
  };
  return new Promise((resolve, reject) => {
    const running = autocannon(
      { url, connections, duration: seconds, requests: [{ setupRequest: nextRequest }] },
      (error: Error | null, result) => {
        if (error) reject(error);
        else resolve(read(result));
      },
    );
    if (!once) return;
    running.on('response', () => {
      if (place >= requests.length - connections) running.stop();
    });
  });
}

function read(result: autocannon.Result): ClosedLoopResult {
  return {
    seconds: result.duration,
    answered: result['2xx'],
    refused: result.non2xx,
    errors: result.errors + result.timeouts,
    milliseconds: { p50: result.latency.p50, p99: result.latency.p99 },
  };
}

process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
