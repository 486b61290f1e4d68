import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { orInterrupted } from '../interruption';
import type { Latencies } from '../load/job';

export type ReceiverCommand =
  { name: 'start'; certificateFile: string; privateKeyFile: string } | { name: 'arrivals' | 'forget' };

export interface ReceiverAddresses {
  /**
   * Speaks https: /silent never responds, /failing responds with 503, at /slow 1 % of the responses
   * take 2 s, and other paths respond with 204 at once.
   */
  port: number;
  /** Accepts connections and sends nothing. */
  mutePort: number;
  refusingPort: number;
}

/** The deliveries that arrived at one path. */
export interface Arrivals {
  /** Milliseconds from the time of the event, which is just before its commit, to the request. */
  delay: Latencies;
  /** From the first to the last. */
  seconds: number;
}

/** The process of the receivers. Its CPU time does not count as that of the service. */
export class ReceiverProcess {
  private readonly child: ChildProcess = fork(path.join(__dirname, 'receiver.js'));

  private ask<T>(command: ReceiverCommand): Promise<T> {
    return orInterrupted(async () => {
      const received = once(this.child, 'message');
      this.child.send(command);
      return (await received)[0] as T;
    });
  }

  start = (certificateFile: string, privateKeyFile: string): Promise<ReceiverAddresses> =>
    this.ask({ name: 'start', certificateFile, privateKeyFile });

  /** By path. Deliveries of a replay are counted under the path followed by `again`. */
  arrivals = (): Promise<Partial<Record<string, Arrivals>>> => this.ask({ name: 'arrivals' });

  /** Starts to count again. */
  forget = (): Promise<unknown> => this.ask({ name: 'forget' });

  stop(): void {
    this.child.kill();
  }
}
