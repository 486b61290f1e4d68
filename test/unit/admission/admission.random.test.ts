import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Admissible, Admission } from '../../../src/http/server/admission/admission';
import { limitsOfClasses } from '../../../src/http/server/admission/class-limits';
import {
  clearConnection,
  type Connection,
  newConnection,
} from '../../../src/http/server/admission/fair-queue';
import { trafficClasses } from '../../../src/shared/traffic-classes';

/**
 * Random requests, responses, disconnections, slow readers and waits. Every request is started
 * once, shed once, or leaves with its connection. Every slot becomes free again.
 */
interface Request extends Admissible {
  readonly client: Client;
  isClosed: boolean;
  state: 'waiting' | 'running' | 'finished' | 'shed';
}

interface Client {
  readonly connection: Connection;
  isBackedUp: boolean;
  readonly requests: Request[];
}

const steps = 400;

class Play {
  private now = 0;
  private clients: Client[] = [];
  private readonly all: Request[] = [];
  private readonly running = new Set<Request>();
  private readonly limits;
  private readonly admission;

  constructor(private seed: number) {
    const { classes } = limitsOfClasses(1 + this.below(10), this.below(50));
    for (const name of trafficClasses) classes[name] = { ...classes[name], waiting: 5 + this.below(200) };
    this.limits = classes;
    this.admission = new Admission<Request>({
      classes,
      start: (request) => {
        this.start(request);
      },
      fail: () => undefined,
      shed: (request) => {
        expect(request.state).toBe('waiting');
        request.state = 'shed';
      },
      reclassify: (request) => {
        if (request.isClosed || this.below(2) === 0) return false;
        request.trafficClass = trafficClasses[this.below(2)] ?? 'creates';
        this.admission.submit(request);
        return true;
      },
      nowMs: () => this.now,
    });
  }

  /** A linear congruential generator, so that a seed repeats a failure. */
  private below(bound: number): number {
    this.seed = (this.seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((this.seed / 2 ** 31) * bound);
  }

  private start(request: Request): void {
    expect(request.state).toBe('waiting');
    request.state = 'running';
    this.running.add(request);
    if (request.isClosed || this.below(5) === 0) this.finish(request);
  }

  private finish(request: Request): void {
    this.running.delete(request);
    request.state = 'finished';
    this.admission.finish(request);
  }

  private connect(): Client {
    const client: Client = {
      connection: newConnection(() => client.isBackedUp),
      isBackedUp: false,
      requests: [],
    };
    this.clients.push(client);
    return client;
  }

  private send(): void {
    const client = (this.below(5) > 0 && this.clients[this.below(this.clients.length)]) || this.connect();
    const request: Request = {
      trafficClass: trafficClasses[this.below(trafficClasses.length)] ?? 'others',
      flow: this.below(5),
      connection: client.connection,
      client,
      since: 0,
      isClosed: false,
      state: 'waiting',
    };
    this.all.push(request);
    client.requests.push(request);
    this.admission.submit(request);
  }

  private wait(milliseconds: number): void {
    for (let passed = 0; passed < milliseconds; passed += 4) {
      this.now += 4;
      jest.advanceTimersByTime(4);
    }
  }

  private async disconnect(): Promise<void> {
    const [client] = this.clients.splice(this.below(this.clients.length), 1);
    if (!client) return;
    clearConnection(client.connection);
    // The gate notices one turn later.
    await nextTurn();
    for (const request of client.requests) request.isClosed = true;
  }

  private async step(): Promise<void> {
    const kind = this.below(100);
    const client = this.clients[this.below(this.clients.length)];
    if (kind < 45) for (let count = this.below(50) === 0 ? 200 : 2; count > 0; count -= 1) this.send();
    else if (kind < 70) for (const request of [...this.running].slice(0, 4)) this.finish(request);
    else if (kind < 75 && client) client.isBackedUp = true;
    else if (kind < 82 && client) this.readAll(client);
    else if (kind < 86) await this.disconnect();
    else if (kind < 93) this.wait([6_000, 200, 8, 8, 8][this.below(20)] ?? 8);
    else await nextTurn();
  }

  private readAll(client: Client): void {
    client.isBackedUp = false;
    this.admission.resume(client.connection);
  }

  private check(): void {
    const inProgress = trafficClasses.map((name) => this.admission.inProgress(name));
    expect(inProgress.reduce((sum, count) => sum + count, 0)).toBe(this.running.size);
    for (const name of trafficClasses)
      expect(this.admission.waiting(name)).toBeLessThanOrEqual(this.limits[name].waiting);
  }

  async run(): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.step();
      if (step % 10 === 0) this.check();
    }
    for (const client of this.clients) this.readAll(client);
    for (let turn = 0; turn < 3_000 && this.isBusy(); turn += 1) {
      for (const request of [...this.running]) this.finish(request);
      await nextTurn();
    }
    // Removes the overdue requests of clients that have left.
    this.wait(8);
    this.check();
    expect(trafficClasses.filter((name) => this.admission.waiting(name) > 0)).toEqual([]);
    expect(this.all.filter(({ state, isClosed }) => state === 'waiting' && !isClosed)).toEqual([]);
    for (const { connection } of this.clients)
      expect([connection.inFlight, connection.lanes.size]).toEqual([0, 0]);
  }

  private isBusy(): boolean {
    return this.running.size > 0 || trafficClasses.some((name) => this.admission.waiting(name) > 0);
  }
}

test.each([1, 2, 3, 4])(
  'whatever clients do, no request is lost, none starts twice, and every slot becomes free: seed %d',
  async (seed) => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    await new Play(seed).run();
  },
);
