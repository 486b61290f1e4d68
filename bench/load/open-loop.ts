/** Sends requests when they are due, independent of earlier responses: one job per message. */
import { setTimeout as delay } from 'node:timers/promises';

import { quantiles } from '../measure/statistics';
import { bytesOf, Connection } from './connection';
import type { Latencies, OpenLoopJob, OpenLoopResult } from './job';

async function run(job: OpenLoopJob): Promise<OpenLoopResult> {
  const { url, connections, seconds, requestsPerSecond, opensConnections = false } = job;
  const port = Number(new URL(url).port);
  const all = Array.from({ length: connections }, () => new Connection(port));
  // Connections stay open, as those of a partner's server or a proxy.
  const first = bytesOf({ method: 'GET', path: '/health/live', headers: {} });
  if (!opensConnections) await Promise.all(all.map((connection) => connection.send(first)));
  const free = [...all];
  const requests = job.requests.map(bytesOf);
  const total = Math.floor(
    job.once ? Math.min(seconds * requestsPerSecond, requests.length) : seconds * requestsPerSecond,
  );
  const sinceDue = new Map<number, number[]>();
  const sinceSent = new Map<number, number[]>();
  let [sent, ended, errors, withoutRetryAfter] = [0, 0, 0, 0];
  const note = (into: Map<number, number[]>, status: number, milliseconds: number): void => {
    const list = into.get(status);
    if (list) list.push(milliseconds);
    else into.set(status, [milliseconds]);
  };

  const startedAt = performance.now();
  const dueAt = (place: number): number => startedAt + (place * 1000) / requestsPerSecond;

  /**
   * Sends due requests on free connections. A request that finds none is sent later, but its
   * latency counts from when it was due.
   */
  function sendDue(): void {
    const now = performance.now();
    while (sent < total && dueAt(sent) <= now) {
      const connection = free.pop();
      if (!connection) return;
      const due = dueAt(sent);
      const bytes = requests[sent % requests.length];
      sent += 1;
      if (bytes) void exchange(connection, bytes, due);
    }
  }

  async function exchange(connection: Connection, bytes: Buffer, due: number): Promise<void> {
    const sentAt = performance.now();
    const response = await connection.send(bytes);
    const now = performance.now();
    ended += 1;
    if (response) {
      note(sinceDue, response.status, now - due);
      note(sinceSent, response.status, now - sentAt);
      if ((response.status === 503 || response.status === 429) && !response.hasRetryAfter)
        withoutRetryAfter += 1;
    } else errors += 1;
    if (opensConnections) connection.close();
    free.push(opensConnections ? new Connection(port) : connection);
    sendDue();
  }

  while (sent < total) {
    sendDue();
    await delay(Math.max(1, dueAt(sent) - performance.now()));
  }
  for (const deadline = performance.now() + 10_000; ended < sent && performance.now() < deadline;)
    await delay(5);
  errors += sent - ended;
  const took = (performance.now() - startedAt) / 1000;
  for (const connection of all) connection.close();
  const summary = (from: Map<number, number[]>): Record<string, Latencies> =>
    Object.fromEntries([...from].map(([status, times]) => [String(status), quantiles(times)]));
  return {
    seconds: took,
    due: total,
    errors,
    sinceDue: summary(sinceDue),
    sinceSent: summary(sinceSent),
    withoutRetryAfter,
  };
}

process.on('message', (job: OpenLoopJob) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
