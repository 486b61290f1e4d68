import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';

import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { blocksOf } from '../support/documents';
import { sample } from '../support/full-run';
import { build, freePort, root, temporaryFolder } from '../support/program';
import { until } from '../support/until';

/** Runs the receivers of the guide "Receive webhooks" against a feed that each test controls. */
const guide = (name: string): string => readFileSync(path.join(root, 'docs', 'guides', `${name}.md`), 'utf8');
const programs = {
  SDK: {
    file: 'receiver.mjs',
    command: process.execPath,
    text: () => blocksOf(guide('webhooks'), ['js'])[0]!.text,
  },
  JavaScript: {
    file: 'plain.mjs',
    command: process.execPath,
    text: () => readFileSync(path.join(root, 'docs', 'guides', 'examples', 'webhooks.mjs'), 'utf8'),
  },
  Python: {
    file: 'receiver.py',
    command: 'python3',
    text: () =>
      [guide('start'), guide('webhooks')]
        .flatMap((text) => blocksOf(text, ['py']))
        .map(({ text }) => text)
        .join('\n'),
  },
};
const hasPython = spawnSync('python3', ['--version']).status === 0;
const names = (['SDK', 'JavaScript', 'Python'] as const).filter((name) => name !== 'Python' || hasPython);

const empty = { data: [], has_more: false, next_after: 7, last_sequence: 7 };
const event = {
  id: '01990000-0000-7000-8000-000000000001',
  sequence: 8,
  type: 'contribution.created',
  timestamp: '2026-11-20T10:00:00.000Z',
  environment: 'test',
  data: { transaction_id: 'K7Q20CR5M3V9XHG' },
};
const pageWithEvent = { ...empty, data: [event], next_after: 8, last_sequence: 8 };
const expired = {
  code: 'events_expired',
  title: 'Events expired',
  status: 410,
  detail: 'The feed keeps events for 180 days. Its first event is 7. Send after=6.',
  retryable: false,
};

let feed: Server;
let answer: object;
let requests: string[];
let child: ChildProcess | undefined;
let folder: ReturnType<typeof temporaryFolder>;
let output: string;

// On a busy machine, each program needs seconds to start.
beforeAll(build);
beforeEach(async () => {
  [answer, requests, output] = [empty, [], ''];
  folder = temporaryFolder();
  symlinkSync(path.join(root, 'node_modules'), path.join(folder.path, 'node_modules'));
  feed = createServer((request, response) => {
    requests.push(request.url!);
    // The client of the guide first lists the projects.
    const isProblem = answer === expired && request.url!.includes('/events');
    const type = isProblem ? 'application/problem+json' : 'application/json';
    response
      .writeHead(isProblem ? 410 : 200, { 'Content-Type': type })
      .end(JSON.stringify(request.url!.includes('/events') ? answer : { data: [] }));
  });
  await once(feed.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  feed.closeAllConnections();
  await new Promise((resolve) => feed.close(resolve));
  folder.remove();
});

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });

/** Starts a receiver. It reads the feed every 0.2 s, not every 10 minutes. Returns its port. */
async function start(name: keyof typeof programs): Promise<number> {
  const { file, command, text } = programs[name];
  const port = await freePort();
  const { apiKey, apiSecret } = drawKeyPair('test');
  const { port: feedPort } = feed.address() as AddressInfo;
  writeFileSync(path.join(folder.path, file), text().replace('600_000', '200').replace('(600,', '(0.2,'));
  child = spawn(command, [file], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      CONTRIBUTION_API_URL: `http://127.0.0.1:${feedPort}/company/integration`,
      CONTRIBUTION_API_KEY: apiKey,
      CONTRIBUTION_API_SECRET: apiSecret,
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      PORT: String(port),
    },
  });
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (part: Buffer) => (output += part.toString()));
  await until(
    `${name} listens: ${output}`,
    async () => child!.exitCode !== null || (await isListening(port)),
  );
  if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
  return port;
}

const processed = (): string => {
  const file = path.join(folder.path, 'processed');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** Sends the head of a request, and then many bytes, until the receiver closes the connection. */
function sendWithoutEnd(port: number, headers: string): Promise<{ response: string; sentBytes: number }> {
  return new Promise((resolve) => {
    const part = Buffer.alloc(65_536, 'x');
    let response = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST /webhooks HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
      send();
    });
    const send = (): void => {
      if (socket.bytesWritten > 20_000_000) socket.destroy();
      else if (socket.writable) socket.write(part, () => setImmediate(send));
    };
    socket.on('data', (data) => (response += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve({ response, sentBytes: socket.bytesWritten });
    });
  });
}

describe.each(sample(names, 1))('the receiver of the guide (%s)', (name) => {
  test.each(sample(['Content-Length: -1', 'Content-Length: 90000000'], 1))(
    'does not read a body with %s',
    async (header) => {
      const port = await start(name);
      // The buffers of the system accept a few megabytes before a sender learns that nobody reads.
      expect((await sendWithoutEnd(port, header)).sentBytes).toBeLessThan(20_000_000);
      expect(await isListening(port)).toBe(true);
    },
  );

  test('processes an event that is not delivered, while it runs', async () => {
    await start(name);
    expect(processed()).toBe('');
    answer = pageWithEvent;
    await until('the event is processed', () => processed() === `${event.id}\n`);
    await until('it continues after the event', () => requests.at(-1)!.includes('after=8'));
  });

  test('starts and reports if the feed no longer has the next event, and then continues', async () => {
    writeFileSync(path.join(folder.path, 'position'), '3');
    answer = expired;
    await start(name);
    await until('it reports the problem', () => output.includes('Send after=6.'));
    expect(readFileSync(path.join(folder.path, 'position'), 'utf8')).toBe('3');
    answer = pageWithEvent;
    await until('the event is processed', () => processed() === `${event.id}\n`);
  });
});
