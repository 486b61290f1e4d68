import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { commands, run } from '../../packages/sdk/src/command/run.js';
import { verifyEndpoint } from '../support/added-endpoint';
import { addProject } from '../support/catalogue';
import { relayAll } from '../support/feed';
import { root, temporaryFolder } from '../support/program';
import { commandVariables } from '../support/sdk-command';
import { startService, type TestCompany, type TestService } from '../support/service';
import { deliversHere } from '../support/webhook-world';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver';

/** Every command of the SDK when its output is lost. */
const base = '/company/integration';
const folder = temporaryFolder();
let service: TestService;
let company: TestCompany;
let receiver: WebhookReceiver;
let projectId: number;
let eventId: string;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 100 });
  company = await service.addCompany();
  receiver = await startReceiver();
  projectId = await addProject(service.database.admin);
  const { body: endpoint } = await company.test
    .post(`${base}/webhook-endpoints`, { url: receiver.url })
    .expect(201);
  await verifyEndpoint(service.database.admin, endpoint.endpoint_id as string);
  await create();
  await relayAll(service.database.admin);
  const { body } = (await company.test.get(`${base}/events`).expect(200)) as {
    body: { data: { id: string }[] };
  };
  eventId = body.data[0]!.id;
  writeFileSync(
    path.join(folder.path, 'bank.json'),
    JSON.stringify({ store: path.join(folder.path, 'bank') }),
  );
});
afterAll(async () => {
  folder.remove();
  await receiver.stop();
  await service.stop();
});

async function create(): Promise<string> {
  const body = { project_id: projectId, amount: '25.00', user_hash: 'somebody' };
  const { body: created } = await company.test.put(`${base}/contributions/create`, body).expect(201);
  return (created as { transaction_id: string }).transaction_id;
}

async function runLost(args: string[], code: string) {
  const lost = new AbortController();
  const errors: string[] = [];
  const exitCode = await run(args, commandVariables(service, company.test), {
    out: () => {
      lost.abort(Object.assign(new Error(`${code}: write`), { code }));
    },
    error: (line) => errors.push(line),
    lost: lost.signal,
  });
  return { exitCode, error: errors.join('\n') };
}

const listen = (): string[] => [
  ...['listen', '--forward-to', receiver.url, '--after', '0'],
  ...['--state', path.join(folder.path, 'listen.json')],
];

/** The arguments with which each command changes something, or waits for events. */
const scenarios: Record<string, () => string[] | Promise<string[]>> = {
  doctor: () => ['doctor'],
  // Before the settings let the simulated bank complete the contributions.
  async bank() {
    await create();
    return ['bank', '--config', path.join(folder.path, 'bank.json')];
  },
  settings: () => ['settings', '--bank', 'simulated'],
  settle: async () => ['settle', await create()],
  requests: () => ['requests'],
  tail: () => ['tail', '--after', '0'],
  listen,
  resend: () => ['resend', eventId],
  replay: () => ['replay', '--from-sequence', '1', '--yes'],
  conform: () => [
    ...['conform', '--profile', 'host', '--cases', 'key', '--'],
    ...[process.execPath, path.join(root, 'test/suites/sdk/conformance/client.mjs')],
  ],
  // After the commands that create contributions. The reset clears it.
  fault: () => ['fault', 'createContribution', 'lost_before'],
  reset: () => ['reset', '--yes'],
};

test('there is a scenario for every command', () => {
  expect(Object.keys(scenarios).sort()).toEqual(Object.keys(commands).sort());
});

const changing = Object.keys(scenarios).filter((name) => commands[name]!.left !== undefined);
const reading = Object.keys(scenarios).filter((name) => commands[name]!.left === undefined);

test.each(reading)('%s stops, and only a reader that stops early is no error', async (name) => {
  expect(await runLost(await scenarios[name]!(), 'EPIPE')).toEqual({ exitCode: 0, error: '' });
  expect(await runLost(await scenarios[name]!(), 'EIO')).toEqual({
    exitCode: 1,
    error: 'The output cannot be written: EIO: write. The service has changed nothing.',
  });
});

test.each(changing)('%s exits with 4 and says what changed and how to undo it', async (name) => {
  const args = await scenarios[name]!();
  expect(await runLost(args, 'ENOSPC')).toEqual({
    exitCode: 4,
    error: `The change was made, but its result is lost (ENOSPC: write). ${commands[name]!.left}`,
  });
});

test.each([[['settings']], [['fault', '--list']], [['replay', '--from-sequence', '1', '--preview']]])(
  '%j changes nothing',
  async (args) => {
    expect((await runLost(args, 'ENOSPC')).exitCode).toBe(1);
  },
);
