import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export const root = path.join(__dirname, '..', '..');

/** Variables for finding programs and folders, and for the package registry. */
const ofTheMachine =
  /^(PATH|HOME|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy)$/;

/**
 * The environment without settings of the service. Concurrent processes do not share a metrics
 * port.
 */
function cleanEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => ofTheMachine.test(name));
  return { ...Object.fromEntries(inherited), ENV_FILE: 'off', METRICS_PORT: 'off', ...settings };
}

/** A folder for one test, removed with its contents. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-program-'));
  // If this process is root, PostgreSQL runs under another account, which must reach the folder.
  chmodSync(folder, 0o711);
  return {
    path: folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A port that is free now. It is below the ports that systems give to outgoing connections, so it
 * stays free until it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

export interface Finished {
  exitCode: number;
  /** Standard output, and after it standard error. */
  output: string;
}

/**
 * Starts a program of the checkout and waits for it to exit. For the operator's commands, use
 * `operator-commands.ts`: a command takes 0.02 s of CPU time there, and about 1 s as a process.
 */
export async function runProcess(
  program: string,
  programArguments: string[],
  settings: Record<string, string> = {},
  cwd = root,
): Promise<Finished> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, programArguments, {
      cwd,
      env: cleanEnvironment(settings),
    });
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exitCode: code, output: stdout + stderr };
  }
}

/** Builds the program if the build is stale. */
export async function build(): Promise<void> {
  const { exitCode, output } = await runProcess(process.execPath, ['scripts/build.mjs', '--if-stale']);
  if (exitCode !== 0) throw new Error(output);
}

const started = new Set<ChildProcessWithoutNullStreams>();

/** Ends processes that a failed test left running. */
export async function killLeftoverProcesses(): Promise<void> {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([exited, delay(5_000, undefined, { ref: false })]);
    child.kill('SIGKILL');
  }
}

/** The programs that run until they are stopped: the service, or deliveries on their own. */
const programs = {
  server: { script: 'dist/src/server.js', started: '"listening"' },
  deliver: { script: 'dist/src/deliver.js', started: '"delivering"' },
};

/** The first start creates a database cluster and runs all migrations, beside other tests. */
const readyWithinMs = 60_000;

/** The service as a process, as `npm start` runs it; or the process of `npm run deliver`. */
export class RunningService {
  output = '';
  readonly exited: Promise<number | null>;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    readonly baseUrl: string,
    private readonly program: keyof typeof programs,
  ) {
    started.add(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        this.output += data.toString();
      });
    }
    this.exited = once(child, 'exit').then(([code]) => code as number | null);
  }

  /**
   * Starts it and waits until it is ready.
   *
   * @param cwd the folder with the build, by default this checkout
   */
  static async start(
    settings: Record<string, string>,
    program: keyof typeof programs = 'server',
    cwd = root,
  ): Promise<RunningService> {
    const service = await RunningService.launch(settings, program, cwd);
    await service.becomesReady();
    return service;
  }

  /** Starts it, and does not wait. */
  static async launch(
    settings: Record<string, string>,
    program: keyof typeof programs = 'server',
    cwd = root,
  ): Promise<RunningService> {
    const port = settings['PORT'] ?? String(await freePort());
    const child = spawn(process.execPath, [programs[program].script], {
      cwd,
      env: cleanEnvironment({ ...settings, PORT: port }),
    });
    return new RunningService(child, `http://localhost:${port}`, program);
  }

  private async becomesReady(): Promise<void> {
    for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline;) {
      if (this.child.exitCode !== null) throw new Error(`the service ended:\n${this.output}`);
      const response = await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined);
      if (response?.ok && this.output.includes(programs[this.program].started)) return;
      await delay(20);
    }
    throw new Error(`the service did not become ready:\n${this.output}`);
  }

  signal(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}
