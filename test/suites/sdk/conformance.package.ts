import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { bankCases } from '../../../packages/sdk/src/command/conform/bank-cases.js';
import { monthEndCases } from '../../../packages/sdk/src/command/conform/month-end-cases.js';
import { receiverCases } from '../../../packages/sdk/src/command/conform/receiver-cases.js';
import { hostCases } from '../../../packages/sdk/src/command/conform/host-cases.js';
import { run as runCommand } from '../../../packages/sdk/src/command/run.js';
import { addProject } from '../../support/catalogue';
import { blocksOf } from '../../support/documents';
import { root, temporaryFolder } from '../../support/program';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { libraries, succeed } from './tools';

/**
 * The conformance kit, proven by clients that make one mistake each. FULL_TEST_RUN=on plays every
 * case with every one of them; otherwise each plays the case that it must fail. Tests of one case,
 * and of receivers, run concurrently: they mostly wait.
 */
jest.setTimeout(600_000);
// Each running case listens for the end of the process.
process.setMaxListeners(100);

const isFull = process.env['FULL_TEST_RUN'] === 'on';
const profiles = {
  host: hostCases,
  bank: bankCases,
  'month-end': monthEndCases,
  receiver: receiverCases,
};
type Profile = keyof typeof profiles;

interface Result {
  name: string;
  result: string;
  detail: string;
}
interface Report {
  ok: boolean;
  cases: Result[];
}

let service: TestService;
let company: TestCompany;
let folder: ReturnType<typeof temporaryFolder>;
let partner: string;

beforeAll(async () => {
  folder = temporaryFolder();
  await succeed(process.execPath, ['scripts/build.mjs', 'sdk', '--if-stale'], root);
  partner = path.join(folder.path, 'partner.mjs');
  symlinkSync(path.join(root, 'node_modules'), path.join(folder.path, 'node_modules'));
  const samples = blocksOf(readFileSync(path.join(root, 'packages', 'sdk', 'README.md'), 'utf8'), ['js']);
  writeFileSync(partner, samples.find(({ text }) => text.includes('CONFORM_TASK'))!.text);
  service = await startService({ settings: { DELIVERY: 'on' } });
  company = await service.addCompany();
  for (const name of ['Water', 'Bread', 'Books', 'Trees', 'Light'])
    await addProject(service.database.admin, { name });
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

/** The program of the README, or a client of this suite. */
const client = (name: string): string[] => [
  process.execPath,
  name === 'readme' ? partner : path.join(root, 'test', 'suites', 'sdk', 'conformance', `${name}.mjs`),
];

interface Judged {
  exitCode: number;
  report: Report;
  /** The cases that did not pass. */
  unmet: string[];
  failed: string[];
  apiSecret: string;
}

async function judge(
  profile: Profile,
  program: string[],
  options: { mutant?: string; library?: string; cases?: string[]; report?: string } = {},
): Promise<Judged> {
  const lines: string[] = [];
  // An environment can upload 60 statements in an hour, and reads one at a time.
  const own = profile === 'month-end' ? await service.addCompany() : company;
  // Five tests run at once. On a slow machine, forty programs would not start within 20 seconds.
  const args = ['conform', '--json', '--profile', profile, '--parallel', '3'];
  if (options.cases) args.push('--cases', options.cases.join(','));
  if (options.report !== undefined) args.push('--report', options.report);
  const variables = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    CONTRIBUTION_API_URL: `http://127.0.0.1:${service.port}/company/integration`,
    CONTRIBUTION_API_KEY: own.test.apiKey ?? '',
    CONTRIBUTION_API_SECRET: own.test.apiSecret ?? '',
    MUTANT: options.mutant,
    LIBRARY: options.library,
  };
  const exitCode = await runCommand([...args, '--', ...program], variables, {
    out: (line) => lines.push(line),
    error: (line) => lines.push(line),
  });
  const text = lines.join('\n');
  expect(text).not.toContain(variables.CONTRIBUTION_API_SECRET);
  const report = JSON.parse(text) as Report;
  const unmet = report.cases.filter(({ result }) => result !== 'passed').map(({ name }) => name);
  const failed = report.cases.filter(({ result }) => result === 'failed').map(({ name }) => name);
  return { exitCode, report, unmet, failed, apiSecret: variables.CONTRIBUTION_API_SECRET };
}

/** A second case that shows the mistake. */
const alsoShownBy: Readonly<Record<string, string>> = {
  restart: 'firewall_403',
  two_workers: 'repeated_after_return',
};

const names = (profile: Profile): string[] => profiles[profile].map(({ name }) => name);

describe.each<Profile>(['host', 'bank', 'month-end'])('profile %s', (profile) => {
  test.each(['client', 'readme'])('%s passes every case', async (name) => {
    const file = path.join(folder.path, `${profile}-${name}.html`);
    const { exitCode, report, unmet, apiSecret } = await judge(profile, client(name), { report: file });
    expect([exitCode, report.ok, unmet]).toEqual([0, true, []]);
    expect(report.cases.map((each) => each.name)).toEqual(names(profile));
    const html = readFileSync(file, 'utf8');
    expect(html).not.toMatch(/<script|<link|src=/);
    expect(apiSecret).not.toBe('');
    expect(html).not.toContain(apiSecret);
  });

  test.concurrent.each(names(profile))('a client with the mistake %s fails this case', async (mutant) => {
    const cases = isFull ? names(profile) : [mutant];
    const { exitCode, failed } = await judge(profile, client('client'), { mutant, cases });
    const expected = cases.filter((name) => name === mutant || alsoShownBy[mutant] === name);
    expect([exitCode, failed]).toEqual([1, expected]);
  });
});

describe('the programs of the guide pass every case of the profile host', () => {
  const guides = ['start', 'conformance'].map((name) =>
    readFileSync(path.join(root, 'docs', 'guides', `${name}.md`), 'utf8'),
  );

  test('in JavaScript without a library', async () => {
    const program = [process.execPath, path.join(root, 'docs', 'guides', 'examples', 'conformance.mjs')];
    const { exitCode, unmet } = await judge('host', program);
    expect([exitCode, unmet]).toEqual([0, []]);
  });

  test('in Python', async () => {
    const file = path.join(folder.path, 'client.py');
    const blocks = guides.flatMap((guide) => blocksOf(guide, ['py']));
    writeFileSync(file, blocks.map(({ text }) => text).join('\n'));
    const { exitCode, unmet } = await judge('host', ['python3', file]);
    expect([exitCode, unmet]).toEqual([0, []]);
  });
});

describe('the profile receiver', () => {
  const guide = (name: string): string =>
    readFileSync(path.join(root, 'docs', 'guides', `${name}.md`), 'utf8');
  const plain = path.join(root, 'docs', 'guides', 'examples', 'webhooks.mjs');

  async function judgeReceiver(program: string[], cases?: string[]): Promise<Judged> {
    return judge('receiver', program, cases && { cases });
  }

  test.concurrent('passes the receiver of the guide with the SDK', async () => {
    const file = path.join(folder.path, 'receiver.mjs');
    writeFileSync(file, blocksOf(guide('webhooks'), ['js'])[0]!.text);
    const { exitCode, unmet, report } = await judgeReceiver([process.execPath, file]);
    expect([exitCode, unmet]).toEqual([0, []]);
    expect(report.cases.map((each) => each.name)).toEqual(names('receiver'));
  });

  test.concurrent('passes the receiver of the guide in JavaScript without a library', async () => {
    const { exitCode, unmet } = await judgeReceiver([process.execPath, plain]);
    expect([exitCode, unmet]).toEqual([0, []]);
  });

  test.concurrent('passes the receiver of the guide in Python', async () => {
    const file = path.join(folder.path, 'receiver.py');
    const blocks = [guide('start'), guide('webhooks')].flatMap((text) => blocksOf(text, ['py']));
    writeFileSync(file, blocks.map(({ text }) => text).join('\n'));
    const { exitCode, unmet } = await judgeReceiver(['python3', file]);
    expect([exitCode, unmet]).toEqual([0, []]);
  });

  // Each mutant is the receiver without a library, with one mistake.
  const known = "['contribution.created', 'contribution.completed'].includes(event.type)";
  test.concurrent.each<[string, string, string, string[]]>([
    [
      'accepts every signature',
      'given.some((each) => ',
      'given.some((each) => true || ',
      ['bad_signature', 'other_secret'],
    ],
    ['accepts old requests', '<= 300', '<= Infinity', ['old_timestamp']],
    [
      'ignores the environment',
      "event?.environment === 'test'",
      'event !== undefined',
      ['other_environment'],
    ],
    ['knows only the first secret', "?? '').split(' ')", "?? '').split(' ').slice(0, 1)", ['rotation']],
    ['reads only the first signature', 'given.some(', 'given.slice(0, 1).some(', ['rotation']],
    ['processes every delivery', ' || processed.has(id)', '', ['duplicate', 'burst', 'gap']],
    ['forgets in a restart', "read('processed')", "''", ['duplicate', 'gap']],
    [
      'rejects unknown types',
      'const isMine = ',
      `const isMine = event && ${known} && `,
      ['unknown_type', 'completed_again'],
    ],
    [
      'processes each type of a contribution once',
      'processed.has(id)) return;',
      'processed.has(id) || processed.has(type + data.transaction_id)) return;\nprocessed.add(type + data.transaction_id);',
      ['completed_again'],
    ],
    ['does not read the feed', 'let hasMore = true', 'let hasMore = false', ['gap']],
    [
      'works before it responds',
      'if (event && isMine)',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);\nif (event && isMine)',
      ['burst'],
    ],
  ])('fails a receiver that %s in exactly the cases that show it', async (what, from, to, expected) => {
    const text = readFileSync(plain, 'utf8');
    expect(text).toContain(from);
    const file = path.join(folder.path, `${what.replaceAll(' ', '-')}.mjs`);
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
    const { exitCode, failed } = await judgeReceiver([process.execPath, file]);
    expect([exitCode, failed.sort()]).toEqual([1, expected.sort()]);
  });

  test.concurrent('fails a receiver that ignores an event with a lower sequence', async () => {
    const file = path.join(folder.path, 'ignores-a-lower-sequence.mjs');
    const from = 'function processOnce({ id, type, data }) {';
    const to =
      'let last = 0;\nfunction processOnce({ id, type, data, sequence }) {\nif (sequence < last) return;\nlast = sequence;';
    const text = readFileSync(plain, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
    const { failed } = await judgeReceiver([process.execPath, file], ['order', 'rotation']);
    expect(failed).toEqual(['order']);
  });

  test.concurrent('does not reach a program that does not listen', async () => {
    const { exitCode, report } = await judgeReceiver([process.execPath, '-e', ''], ['burst']);
    expect([exitCode, report.cases[0]?.result]).toEqual([1, 'not_reached']);
  });
});

test.each<[string, string, Profile, string[]]>([
  ['draws a new key for each attempt', 'new_key', 'host', ['response_lost', 'html_502', 'half_a_body']],
  [
    'sends no key',
    'keyless',
    'host',
    ['key', 'response_lost', 'html_502', 'firewall_403', 'half_a_body', 'killed', 'key_reused'],
  ],
  [
    'crashes after a retry',
    'crashes',
    'host',
    [
      ...['response_lost', 'request_lost', 'unavailable', 'retry_after'],
      ...['rate_limited', 'html_502', 'half_a_body', 'unknown_code'],
    ],
  ],
  ['crashes after a retry', 'crashes', 'bank', ['response_lost', 'unavailable']],
  ['hides errors', 'swallows', 'host', ['rejected', 'key_reused', 'internal_error', 'wrong_environment']],
  ['hides errors', 'swallows', 'bank', ['amount_mismatch', 'mistyped_id', 'completed_by_another']],
])(
  'a client that %s (%s) fails exactly the cases of the profile %s that show it',
  async (_what, mutant, profile, expected) => {
    const { exitCode, failed } = await judge(profile, client('client'), { mutant });
    expect([exitCode, failed.sort()]).toEqual([1, expected.sort()]);
  },
);

describe('a host that leaves retries to a library', () => {
  let place: string;
  beforeAll(async () => {
    place = path.join(folder.path, 'libraries');
    mkdirSync(place);
    writeFileSync(path.join(place, 'package.json'), '{"private": true}');
    await succeed('npm', ['install', '--no-audit', '--no-fund', ...libraries], place);
    copyFileSync(client('library-client')[1]!, path.join(place, 'client.mjs'));
  });

  test.each([
    ['RetryAgent', 'undici', ['internal_error', 'half_a_body']],
    ['axios-retry', 'axios', ['internal_error', 'half_a_body']],
  ])('%s fails exactly the cases of the rules that it breaks', async (_what, library, expected) => {
    const { exitCode, failed } = await judge('host', [process.execPath, path.join(place, 'client.mjs')], {
      library,
    });
    expect([exitCode, failed.sort()]).toEqual([1, expected.sort()]);
  });
});
