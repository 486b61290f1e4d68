/** A process that sends hostile load: without pauses, without reading responses, or without end. */
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { quantiles } from '../measure/statistics';
import { bytesOf } from './connection';
import type { FloodJob, FloodResult } from './job';
import { ResponseReader } from './response-reader';

/** Delay before the next attempt after a connection was closed or rejected. */
const reconnectMs = 5;
/** Interval between two bytes of a slow client. */
const slowByteMs = 500;

interface Run {
  readonly port: number;
  readonly requests: readonly Buffer[];
  readonly pipelined: number;
  readonly endsAt: number;
  readonly times: number[];
  readonly result: FloodResult;
  next: number;
}

function connect(run: Run, onClose: () => void): net.Socket {
  const socket = net.connect(run.port, '127.0.0.1');
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('close', onClose);
  return socket;
}

/** Opens a new connection whenever one ends, until the time is over. */
async function keepOpen(run: Run, open: (onClose: () => void) => net.Socket): Promise<void> {
  while (performance.now() < run.endsAt) {
    let socket: net.Socket | undefined;
    const closed = new Promise<void>((resolve) => {
      socket = open(resolve);
    });
    const over = delay(run.endsAt - performance.now(), 'over' as const);
    const ended = await Promise.race([closed, over]);
    socket?.destroy();
    if (ended === 'over') return;
    run.result.closedConnections += 1;
    await delay(reconnectMs);
  }
}

const nextRequest = (run: Run): Buffer => run.requests[run.next++ % run.requests.length] ?? Buffer.alloc(0);

/** Keeps this number of requests in flight: each response triggers the next request. */
function flood(run: Run): Promise<void> {
  return keepOpen(run, (onClose) => {
    const sentAt: number[] = [];
    const socket = connect(run, onClose);
    const send = (count: number): void => {
      const now = performance.now();
      for (let sent = 0; sent < count; sent += 1) sentAt.push(now);
      socket.write(Buffer.concat(Array.from({ length: count }, () => nextRequest(run))));
    };
    let received = 0;
    const reader = new ResponseReader(({ status }) => {
      run.result.responses[status] = (run.result.responses[status] ?? 0) + 1;
      run.times.push(performance.now() - (sentAt.shift() ?? 0));
      received += 1;
    });
    socket.on('data', (data) => {
      received = 0;
      reader.read(data);
      if (received > 0 && performance.now() < run.endsAt) send(received);
    });
    send(run.pipelined);
    return socket;
  });
}

/** Sends a body slowly and never ends it. */
function slowBodies(run: Run): Promise<void> {
  return keepOpen(run, (onClose) => {
    const socket = connect(run, onClose);
    const request = nextRequest(run);
    socket.write(request.subarray(0, -20));
    const timer = setInterval(() => socket.write(' '), slowByteMs);
    socket.once('close', () => {
      clearInterval(timer);
    });
    socket.resume();
    return socket;
  });
}

/** Sends requests and resets the connection before their responses. */
function aborts(run: Run): Promise<void> {
  return keepOpen(run, (onClose) => {
    const socket = connect(run, onClose);
    socket.write(Buffer.concat(Array.from({ length: run.pipelined }, () => nextRequest(run))), () => {
      setTimeout(() => socket.resetAndDestroy(), reconnectMs);
    });
    socket.resume();
    return socket;
  });
}

/** Opens a connection, sends one request, and immediately replaces the connection by the next. */
async function churn(run: Run): Promise<void> {
  while (performance.now() < run.endsAt) {
    await new Promise<void>((resolve) => {
      const socket = connect(run, resolve);
      socket.once('connect', () => {
        socket.end(nextRequest(run), () => socket.destroy());
      });
      socket.setTimeout(Math.max(1, run.endsAt - performance.now()), () => socket.destroy());
    });
    run.result.closedConnections += 1;
  }
}

/** Sends all requests at once, each of them once, and waits for every response. */
async function burst(run: Run, connections: number): Promise<void> {
  const startedAt = performance.now();
  const share = Math.ceil(run.requests.length / connections);
  const one = (requests: readonly Buffer[]): Promise<void> =>
    new Promise((resolve) => {
      let left = requests.length;
      const socket = connect(run, () => {
        run.result.closedConnections += left > 0 ? 1 : 0;
        run.result.unanswered += left;
        resolve();
      });
      const reader = new ResponseReader(({ status }) => {
        run.result.responses[status] = (run.result.responses[status] ?? 0) + 1;
        run.times.push(performance.now() - startedAt);
        left -= 1;
        if (left === 0) socket.end();
      });
      socket.on('data', (data) => {
        reader.read(data);
      });
      socket.setTimeout(15_000, () => socket.destroy());
      socket.write(Buffer.concat(requests));
    });
  await Promise.all(
    Array.from({ length: connections }, (_, place) =>
      one(run.requests.slice(place * share, (place + 1) * share)),
    ).filter((_, place) => place * share < run.requests.length),
  );
}

async function play({
  url,
  kind,
  connections,
  pipelined,
  seconds,
  requests,
}: FloodJob): Promise<FloodResult> {
  const result: FloodResult = {
    responses: {},
    closedConnections: 0,
    unanswered: 0,
    milliseconds: { count: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 },
  };
  const run: Run = {
    port: Number(new URL(url).port),
    requests: requests.map(bytesOf),
    pipelined,
    endsAt: performance.now() + seconds * 1000,
    times: [],
    result,
    next: 0,
  };
  if (kind === 'burst') await burst(run, connections);
  else {
    const client = { flood, aborts, churn, 'slow-bodies': slowBodies }[kind];
    await Promise.all(Array.from({ length: connections }, () => client(run)));
  }
  if (run.times.length > 0) result.milliseconds = quantiles(run.times);
  return result;
}

process.on('message', (job: FloodJob) => {
  play(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
