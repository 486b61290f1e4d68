/** Runs autocannon: one job per message, one reply per job. */
import autocannon from 'autocannon';

import { quantiles } from '../measure/statistics';
import type { RequestSpec } from '../operations';
import type { ClosedLoopResult, Job } from './job';
import { Times } from './times';

function run({ url, connections, seconds, requests, once }: Job): Promise<ClosedLoopResult> {
  const options = { url, connections, duration: seconds };
  return new Promise((resolve, reject) => {
    const times = new Times();
    const done = (error: Error | null, result: autocannon.Result): void => {
      if (error) reject(error);
      else resolve(read(result, times));
    };
    const running = once
      ? runOnce(options, requests, done)
      : autocannon({ ...options, setupClient: shares(requests, connections) }, done);
    // autocannon's quantiles are whole milliseconds.
    running.on('response', (_client, status, _bytes, milliseconds) => {
      if (status >= 200 && status < 300) times.note(milliseconds);
    });
  });
}

/**
 * Gives each connection different requests, which it sends in order. They are serialized in
 * advance.
 */
function shares(requests: readonly RequestSpec[], connections: number): (client: autocannon.Client) => void {
  let place = 0;
  return (client) => {
    const own = requests.filter((_, index) => index % connections === place % connections);
    place += 1;
    client.setRequests((own.length > 0 ? own : requests).map((request) => ({ ...request })));
  };
}

/** Sends each request at most once, and ends before a connection runs out of requests. */
function runOnce(
  options: autocannon.Options,
  requests: readonly RequestSpec[],
  done: (error: Error | null, result: autocannon.Result) => void,
): autocannon.Instance {
  let place = 0;
  const nextRequest = (request: autocannon.Request): autocannon.Request => {
    const next = requests[place % requests.length];
    place += 1;
    return { ...request, ...next };
  };
  const running = autocannon({ ...options, requests: [{ setupRequest: nextRequest }] }, done);
  running.on('response', () => {
    if (place >= requests.length - (options.connections ?? 1)) running.stop();
  });
  return running;
}

function read(result: autocannon.Result, times: Times): ClosedLoopResult {
  const { p50, p99 } = quantiles(times.all());
  return {
    seconds: result.duration,
    succeeded: result['2xx'],
    refused: result.non2xx,
    errors: result.errors + result.timeouts,
    milliseconds: { p50, p99 },
  };
}

process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
