import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { freePort } from '../../support/program';
import { startTcpProxy, type TcpProxy } from '../faults/network/tcp-proxy';

/** How the receiver responds. `gone`: 410. */
export type Manner = 'correct' | 'slow' | 'wrong' | 'gone';

export interface ReceiverFiles {
  certificateFile: string;
  privateKeyFile: string;
  /** Where it stores what it accepts. Later receivers append to it. */
  journal: string;
}

/** The receiver at one address, behind a proxy that can cut its connections. */
export class Receiver {
  private child: ChildProcess | undefined;

  private constructor(
    readonly proxy: TcpProxy,
    private readonly files: ReceiverFiles,
    /** The secrets by environment_id, which may become known after the start. */
    private readonly secrets: Record<number, string>,
  ) {}

  static async start(files: ReceiverFiles, secrets: Record<number, string>): Promise<Receiver> {
    const receiver = new Receiver(await startTcpProxy(await freePort()), files, secrets);
    await receiver.launch();
    return receiver;
  }

  urlOf(environmentId: number): string {
    return `https://127.0.0.1:${this.proxy.port}/${environmentId}`;
  }

  /** Starts the process again. */
  async launch(): Promise<void> {
    const given = { ...this.files, port: this.proxy.target, secrets: this.secrets };
    this.child = spawn(process.execPath, [path.join(__dirname, 'receiver.mjs'), JSON.stringify(given)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [first] = (await Promise.race([once(this.child, 'message'), once(this.child, 'exit')])) as [
      unknown,
    ];
    if (first !== 'listening') throw new Error('the receiver ended');
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  behave(manner: Manner): void {
    this.child?.send(manner);
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.proxy.stop();
  }
}
