import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findPackage, prepareBinaries } from '../../packages/local-postgres/src/binaries';
import { readPostmasterFile } from '../../packages/local-postgres/src/postmaster';
import { readSettings } from '../../src/read-settings';
import { startLocalDatabase } from '../../src/startup/local-database';
import { StartupError } from '../../src/startup/startup-error';
import { createDisk } from '../suites/faults/postgres/disk';
import { whyNoDisk } from '../support/full-disk';
import { runOps } from '../support/operator-commands';
import { until } from '../support/until';
import {
  cleanUp,
  dataFolder,
  isRunning,
  kill,
  killServer,
  onCleanUp,
  ownerProcess,
  query,
  readRow,
  removeUsedDataFolder,
  start,
  temporaryFolder,
  theRow,
  usedDataFolder,
  writeRow,
} from './embedded-postgres/helpers';

const timeoutMs = 20_000;
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const leftovers = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /initializing|probe|lock|tmp|copying/.test(name));

/** A test with a precondition. Without it the test is skipped, and its name gives the reason. */
const testIf = (reason: string | false): ((name: string, body: () => Promise<void>) => void) =>
  reason === false
    ? (name, body) => {
        test(name, body, timeoutMs);
      }
    : (name) => {
        test.skip(`${name} (skipped: ${reason})`, () => undefined);
      };
const needsRoot = isRoot ? false : 'needs root';

afterEach(cleanUp, timeoutMs);
afterAll(removeUsedDataFolder);

describe('a server of this process', () => {
  test(
    'keeps its data across a restart',
    async () => {
      const folder = await usedDataFolder();
      const first = await start(folder);
      expect(first.origin).toBe('started');
      await writeRow(first.connectionString('owner'));
      await Promise.all([first.stop(), first.stop()]);
      expect(isRunning(first.processId)).toBe(false);

      const second = await start(folder);
      expect(second.origin).toBe('started');
      expect(await readRow(second.connectionString('owner'))).toEqual(theRow);
      expect(await leftovers(folder)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'is reachable on 127.0.0.1 only, and with the password only',
    async () => {
      const folder = await usedDataFolder();
      const server = await start(folder);
      const wrong = server.connectionString('owner').replace(/:[^:@]+@/, ':wrong@');
      await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });

      const shown = await query(
        server.connectionString('superuser', 'postgres'),
        `SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
                current_setting('data_checksums') AS checksums, current_setting('synchronous_commit') AS commit`,
      );
      expect(shown).toEqual([{ addresses: '127.0.0.1', sockets: '', checksums: 'on', commit: 'on' }]);
      // Another loopback address: a server on 0.0.0.0 would accept it.
      const [failure] = (await once(connect(server.port, '127.0.0.2'), 'error')) as [{ code: string }];
      expect(failure.code).toBe('ECONNREFUSED');
      expect((await stat(path.join(folder, 'postgres.password'))).mode & 0o777).toBe(0o600);
    },
    timeoutMs,
  );

  test(
    'that cannot start reports the reason and leaves nothing running, and the next start works',
    async () => {
      const folder = await usedDataFolder();
      await expect(start(folder, { shared_buffers: 'plenty' })).rejects.toThrow(
        /postgres\.log[^]*shared_buffers/,
      );
      expect(await readPostmasterFile(path.join(folder, 'postgres'))).toBeUndefined();
      expect(await leftovers(folder)).toEqual([]);
      expect((await start(folder)).origin).toBe('started');
    },
    timeoutMs,
  );

  test(
    'ends with stop() although its folder was deleted',
    async () => {
      const folder = await usedDataFolder();
      const server = await start(folder);
      await rename(folder, `${folder}-elsewhere`);
      await server.stop();
      await rename(`${folder}-elsewhere`, folder);
      expect(isRunning(server.processId)).toBe(false);
    },
    timeoutMs,
  );

  test(
    'starts when the lock and the pid file name unrelated running processes',
    async () => {
      const folder = await usedDataFolder();
      const cluster = path.join(folder, 'postgres');
      const first = await start(folder);
      await writeRow(first.connectionString('owner'));
      const pidFile = path.join(cluster, 'postmaster.pid');
      const lines = (await readFile(pidFile, 'utf8')).split('\n');
      await first.stop();
      // PostgreSQL is misled only by a process of the same account.
      const { uid, gid } = await stat(cluster);
      const foreigner = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
      onCleanUp(() => kill(foreigner.pid!));
      await writeFile(pidFile, [String(foreigner.pid), ...lines.slice(1)].join('\n'), { mode: 0o600 });
      await chown(pidFile, uid, gid);
      const reused = { pid: process.pid, startTime: 'of an earlier process with the same id' };
      await writeFile(path.join(folder, 'postgres.lock'), JSON.stringify(reused));
      await writeFile(path.join(folder, 'postgres.owner'), JSON.stringify(reused));

      const second = await start(folder);
      expect(second.origin).toBe('started');
      expect(await readRow(second.connectionString('owner'))).toEqual(theRow);
      expect(isRunning(foreigner.pid!)).toBe(true);
    },
    timeoutMs,
  );
});

testIf(whyNoDisk ?? false)('on a full disk, a server stops, and a start says what is full', async () => {
  const disk = await createDisk(await dataFolder());
  onCleanUp(() => disk.remove());
  const { directory } = disk;
  const server = await start(directory);
  await disk.fill(0);
  const full = `The disk of ${directory} is full. Free some of its space, and try again.`;
  const doctor = { exitCode: 1, output: `${full}\n` };
  expect(await runOps(['doctor'], { DATA_DIRECTORY: directory })).toEqual(doctor);
  await server.stop();
  expect(isRunning(server.processId)).toBe(false);
  expect(await runOps(['doctor'], { DATA_DIRECTORY: directory })).toEqual(doctor);
  const config = readSettings({ DATA_DIRECTORY: directory });
  await expect(startLocalDatabase(config, '', () => undefined)).rejects.toThrow(StartupError);
  expect(await leftovers(directory)).toEqual([]);
  await disk.free();
  expect((await start(directory)).origin).toBe('started');
});

describe('a server of another process', () => {
  test(
    'ends with its killed owner, and the next start has its data',
    async () => {
      const folder = await usedDataFolder();
      const owner = ownerProcess(folder);
      const left = await owner.server();
      await writeRow(left.url);
      await kill(owner.pid);
      await until('the server ends', () => !isRunning(left.processId));

      const server = await start(folder);
      expect(server.origin).toBe('started');
      expect(await readRow(server.connectionString('owner'))).toEqual(theRow);
    },
    timeoutMs,
  );

  test(
    'that was killed together with its owner leaves a stale pid file and all its data',
    async () => {
      const folder = await usedDataFolder();
      const owner = ownerProcess(folder);
      const left = await owner.server();
      await writeRow(left.url);
      await kill(left.processId);
      await kill(owner.pid);
      expect(await readPostmasterFile(path.join(folder, 'postgres'))).toMatchObject({ pid: left.processId });

      const server = await start(folder);
      expect(server.origin).toBe('started');
      expect(await readRow(server.connectionString('owner'))).toEqual(theRow);
    },
    timeoutMs,
  );

  test(
    'that outlives its owner is stopped by the next start',
    async () => {
      const folder = await usedDataFolder();
      const owner = ownerProcess(folder);
      const left = await owner.server();
      await writeRow(left.url);
      // The shell that would stop it.
      await promisify(execFile)('pkill', ['-f', `stop-postgres .*${path.basename(folder)}`]);
      await kill(owner.pid);
      expect(isRunning(left.processId)).toBe(true);

      const server = await start(folder);
      expect(server.origin).toBe('started');
      expect(isRunning(left.processId)).toBe(false);
      expect(await readRow(server.connectionString('owner'))).toEqual(theRow);
    },
    timeoutMs,
  );

  test(
    'that two processes start concurrently is shared: one owns it and the other only disconnects; Ctrl-C does not reach it',
    async () => {
      const folder = await dataFolder();
      const processes = [ownerProcess(folder), ownerProcess(folder)];
      const servers = await Promise.all(processes.map((one) => one.server()));
      expect(servers.map((server) => server.origin).sort()).toEqual(['attached', 'started']);
      expect(servers[0]!.processId).toBe(servers[1]!.processId);
      const [pid, url] = [servers[0]!.processId, servers[0]!.url];
      const attached = processes[servers.findIndex((server) => server.origin === 'attached')]!;
      const owner = processes.find((one) => one !== attached)!;

      await attached.stop();
      await writeRow(url);
      process.kill(-owner.pid, 'SIGINT');
      await sleep(100);
      expect(await readRow(url)).toEqual(theRow);
      await owner.stop();
      expect(isRunning(pid)).toBe(false);
      expect(await leftovers(folder)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'that was killed while it created the cluster leaves no damage: the cluster is created again',
    async () => {
      const folder = await dataFolder();
      const owner = ownerProcess(folder);
      await owner.next('progress');
      await sleep(150);
      await kill(owner.pid);
      expect(await readdir(folder)).not.toContain('postgres');
      expect((await leftovers(folder)).sort()).toEqual([
        expect.stringContaining('postgres.initializing-'),
        'postgres.lock',
      ]);

      const server = await start(folder);
      await writeRow(server.connectionString('owner'));
      await server.stop();
      expect(await leftovers(folder)).toEqual([]);
    },
    timeoutMs,
  );
});

describe('the binaries', () => {
  const copyOfPackage = async (folder: string): Promise<string> => {
    const copy = path.join(folder, 'package');
    await promisify(execFile)('cp', ['-a', findPackage(), copy]);
    const lib = path.join(copy, 'native/lib');
    for (const file of await readdir(lib, { withFileTypes: true }))
      if (file.isSymbolicLink()) await rm(path.join(lib, file.name));
    return copy;
  };
  const silently = { onProgress: () => undefined };

  test(
    'work after an installation without install scripts: links and execute bits are repaired, also by two processes at once',
    async () => {
      const folder = await temporaryFolder();
      const packageDirectory = await copyOfPackage(folder);
      for (const name of await readdir(path.join(packageDirectory, 'native/bin')))
        await chmod(path.join(packageDirectory, 'native/bin', name), 0o644);
      const options = { packageDirectory, copyParent: folder, account: undefined, ...silently };
      const [binaries] = await Promise.all([prepareBinaries(options), prepareBinaries(options)]);
      expect(binaries.directory).toBe(packageDirectory);
      const version = await promisify(execFile)(binaries.initdb, ['--version']);
      expect(version.stdout).toContain(`(PostgreSQL) ${binaries.majorVersion}.`);
    },
    timeoutMs,
  );

  testIf(needsRoot)('are copied when the account cannot reach them', async () => {
    const folder = await temporaryFolder();
    const packageDirectory = await copyOfPackage(folder);
    await chmod(packageDirectory, 0o700);
    const copyParent = path.join(folder, 'copies');
    const options = { packageDirectory, copyParent, account: { name: 'nobody', ...nobody }, ...silently };
    const [binaries] = await Promise.all([prepareBinaries(options), prepareBinaries(options)]);
    expect(path.dirname(binaries.directory)).toBe(copyParent);
    expect(await readdir(copyParent)).toEqual([path.basename(binaries.directory)]);
    const version = await promisify(execFile)(binaries.initdb, ['--version'], { ...nobody, cwd: '/' });
    expect(version.stdout).toContain('PostgreSQL');
  });

  test('cause an error with advice when they are not installed', () => {
    expect(() => findPackage('amiga-68k')).toThrow(/npm ci --include=optional/);
  });

  test('of another version do not touch the cluster, and the error names the alternative', async () => {
    const folder = await dataFolder();
    await mkdir(path.join(folder, 'postgres'), { recursive: true });
    await writeFile(path.join(folder, 'postgres', 'PG_VERSION'), '9');
    await writeFile(path.join(folder, 'postgres.password'), 'secret');
    await expect(start(folder)).rejects.toThrow(
      /^The database in .* belongs to PostgreSQL 9, .* Or set DATABASE_URL to use another server\.$/,
    );
    expect(await readdir(path.join(folder, 'postgres'))).toEqual(['PG_VERSION']);
  });
});

describe('accounts', () => {
  const nodeAsNobody = spawnSync(process.execPath, ['-r', 'ts-node/register/transpile-only', '-e', '0'], {
    cwd: '/',
    ...(isRoot ? nobody : {}),
    env: { ...process.env, NODE_PATH: path.resolve('node_modules') },
  });

  testIf(needsRoot)(
    'root in a private folder keeps the database in a durable place and remembers it',
    async () => {
      const parent = await temporaryFolder();
      await chmod(parent, 0o700);
      const folder = path.join(parent, '.data');
      const first = await start(folder);
      const home = (await readFile(path.join(folder, 'postgres.location'), 'utf8')).trim();
      onCleanUp(async () => {
        await killServer(path.join(home, 'postgres'));
        await rm(home, { recursive: true, force: true });
      });
      expect(home).toMatch(/^\/var\/lib\/contribution-service\/[0-9a-f]{12}/);
      await writeRow(first.connectionString('owner'));
      await first.stop();

      // The checkout moves, and so does the pointer.
      const moved = path.join(await temporaryFolder(), '.data');
      await cp(folder, moved, { recursive: true });
      const second = await start(moved);
      expect(await readRow(second.connectionString('owner'))).toEqual(theRow);
      await second.stop();
      await rm(home, { recursive: true });
      await expect(start(moved)).rejects.toThrow(/postgres\.location says .* does not exist/);
    },
  );

  testIf(needsRoot)('root takes the database along when the folder becomes private', async () => {
    const parent = await temporaryFolder();
    const folder = path.join(parent, '.data');
    const first = await start(folder);
    await writeRow(first.connectionString('owner'));
    await first.stop();
    await chmod(parent, 0o700);
    const second = await start(folder);
    const home = (await readFile(path.join(folder, 'postgres.location'), 'utf8')).trim();
    onCleanUp(async () => {
      await killServer(path.join(home, 'postgres'));
      await rm(home, { recursive: true, force: true });
    });
    expect(await readRow(second.connectionString('owner'))).toEqual(theRow);
    expect(await readdir(folder)).not.toContain('postgres');
    await second.stop();
  });

  testIf(
    needsRoot || (nodeAsNobody.status === 0 ? false : 'the account nobody cannot run Node in this checkout'),
  )('an ordinary user runs the server as itself', async () => {
    const parent = await temporaryFolder();
    const folder = path.join(parent, '.data');
    await mkdir(folder, { mode: 0o700 });
    await chown(parent, nobody.uid, nobody.gid);
    await chmod(parent, 0o700);
    await chown(folder, nobody.uid, nobody.gid);
    const owner = ownerProcess(folder, nobody);
    const server = await owner.server();
    expect(server.origin).toBe('started');
    expect((await stat(`/proc/${server.processId}`)).uid).toBe(nobody.uid);
    await writeRow(server.url);
    await owner.stop();
    expect(isRunning(server.processId)).toBe(false);
  });
});
