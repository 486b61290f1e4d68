import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Event } from '../../generated/api.js';
import { webhooks } from '../../webhooks.js';
import type { Run } from './case.js';
import type { Programs } from './program.js';
import type { Exchange } from './proxy.js';

/** The service waits this long for the response of a receiver. */
const responseWithinMs = 15_000;
const startWithinMs = 20_000;
const processWithinMs = 15_000;

/** How to deliver an event: correctly, or with one mistake. */
export interface Delivery {
  /** A description for the report. */
  name: string;
  secrets: readonly string[];
  /** The time of its signature, default now. */
  at?: number;
  /** Signs this text instead of the body. */
  signedBody?: string;
}

export interface ReceiverSetting {
  command: readonly string[];
  timeoutMs: number;
  variables: Readonly<Record<string, string | undefined>>;
  folder: string;
}

/**
 * The ports of earlier programs. The system may assign a port again before its program listens, and
 * cases run in parallel.
 */
const usedPorts = new Set<number>();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  if (usedPorts.has(port)) return freePort();
  usedPorts.add(port);
  return port;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => {
      resolve(false);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

/** The receiver, which the kit starts, sends webhooks to, and kills. */
export class Receiver {
  readonly exchanges: Exchange[] = [];
  readonly runs: Run[] = [];
  readonly #startedAt = performance.now();
  #port = 0;
  #step = 0;
  #running: Promise<void> | undefined;

  constructor(
    private readonly setting: ReceiverSetting,
    private readonly programs: Programs,
  ) {}

  /** The PORT of the last start. */
  get port(): number {
    return this.#port;
  }

  /**
   * @returns false if the program does not listen in time
   * @throws UsageError if it cannot be started
   */
  async start(secrets: readonly string[]): Promise<boolean> {
    const { command, timeoutMs, folder } = this.setting;
    this.#port = await freePort();
    this.#step += 1;
    const variables = {
      ...this.setting.variables,
      PORT: String(this.#port),
      WEBHOOK_SECRET: secrets.join(' '),
      CONFORM_FOLDER: folder,
    };
    const ended = new AbortController();
    const running = this.programs
      .run({ command, variables, timeoutMs })
      .then((run) => {
        this.runs.push({ step: { task: { task: 'receive' }, end: 'killed' }, ...run });
      })
      .finally(() => {
        ended.abort();
      });
    running.catch(() => undefined);
    this.#running = running;
    for (const deadline = Date.now() + startWithinMs; Date.now() < deadline && !ended.signal.aborted;) {
      if (await isListening(this.#port)) return true;
      await delay(50);
    }
    if (ended.signal.aborted) await running;
    return false;
  }

  async kill(): Promise<void> {
    await this.programs.kill();
    await this.#running;
  }

  /** @returns the status, or undefined without a response in time */
  async deliver(event: Event | Record<string, unknown>, delivery: Delivery): Promise<number | undefined> {
    const body = JSON.stringify(event);
    const id = String(event.id);
    const { name, secrets, at, signedBody = body } = delivery;
    const headers = await webhooks.sign(signedBody, { id, secret: secrets, at });
    const url = new URL(`http://127.0.0.1:${this.#port}/`);
    const exchange: Exchange = {
      method: 'POST',
      operation: 'other',
      url,
      key: undefined,
      body: { event: event.type, sequence: event['sequence' as keyof typeof event] },
      nth: this.exchanges.length + 1,
      step: this.#step,
      receivedAtMs: performance.now() - this.#startedAt,
      endedAtMs: undefined,
      treatment: name,
      status: undefined,
      reply: undefined,
    };
    this.exchanges.push(exchange);
    try {
      const signal = AbortSignal.timeout(responseWithinMs);
      const request = { method: 'POST', body, signal, redirect: 'manual' as const };
      const response = await fetch(url, {
        ...request,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
      await response.body?.cancel();
      exchange.status = response.status;
    } catch {
      // No response in time.
    }
    exchange.endedAtMs = performance.now() - this.#startedAt;
    return exchange.status;
  }

  /** The ids that the program wrote to the file `processed`, in order. */
  async processed(): Promise<string[]> {
    const text = await readFile(path.join(this.setting.folder, 'processed'), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Waits until all these events are processed. @returns those that are missing */
  async missing(ids: readonly string[]): Promise<string[]> {
    for (const deadline = Date.now() + processWithinMs; ;) {
      const done = new Set(await this.processed());
      const missing = ids.filter((id) => !done.has(id));
      if (missing.length === 0 || Date.now() > deadline) return missing;
      await delay(100);
    }
  }
}
