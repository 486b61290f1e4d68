import { readFileSync } from 'node:fs';
import path from 'node:path';

import { addProject } from '../support/catalogue';
import { operatorSettings, runOpsSeparately } from '../support/operator-commands';
import { root } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/** Every mistake of the page "When something went wrong" is made, and its commands repair it. */
const page = readFileSync(path.join(root, 'docs/operations/mistakes.md'), 'utf8');
const sections = new Map(
  page
    .split('\n## ')
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);

let service: TestService;
let [acme, bank, wrong]: TestCompany[] = [];
let projectId: number;

beforeEach(async () => {
  service = await startService();
  acme = await service.addCompany('Acme Wallet');
  bank = await service.addCompany('Acme Bank');
  wrong = await service.addCompany('Wrong Bank');
  projectId = await addProject(service.database.admin);
});
afterEach(async () => {
  try {
    const report = await verificationOf(service.database.operatorUrl);
    expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  } finally {
    await service.stop();
  }
});

const contributions = '/company/integration/contributions';
async function create(): Promise<string> {
  const body = { project_id: projectId, amount: '25.50', user_hash: 'user-1' };
  const { body: created } = await acme!.production.put(`${contributions}/create`, body).expect(201);
  return (created as { transaction_id: string }).transaction_id;
}
const complete = (by: TestCompany, id: string, evidence: object = {}) =>
  by.production.put(`${contributions}/${id}`, { status: 'completed', ...evidence });
const netOf = async (id: string): Promise<string> =>
  ((await acme!.production.get(`${contributions}/${id}`).expect(200)).body as { net_amount: string })
    .net_amount;
const link = (to: TestCompany) => service.companies.linkBank('production', 'Acme Wallet', to.name);
const ops = (words: readonly string[]) => runOpsSeparately(words, operatorSettings(service.database));

/** The words of each command in the section, as a shell splits them. */
const commandsOf = (section: string): string[][] =>
  [...section.matchAll(/^bin\/contribution-service (.*)$/gm)].map(([, line = '']) =>
    [...line.replace(/ +#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!),
  );

/** Runs the commands of a section as an operator who confirms. Lists exit with 3. */
async function repair(title: string, names: Readonly<Record<string, string>> = {}): Promise<void> {
  const commands = commandsOf(sections.get(title)!);
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const words = command.map((word) => names[word] ?? word);
    const asked = await ops(words);
    const { exitCode, stderr } = asked.exitCode === 5 ? await ops([...words, '--yes']) : asked;
    expect([words.join(' '), exitCode === 3 ? 0 : exitCode, stderr]).toEqual([
      words.join(' '),
      0,
      expect.anything(),
    ]);
  }
}

const played: Readonly<Record<string, () => Promise<void>>> = {
  async 'The wrong bank was linked'() {
    await link(wrong!);
    const [completed, pending] = [await create(), await create()];
    await complete(wrong!, completed).expect(200);
    await repair('The wrong bank was linked');
    await complete(wrong!, pending).expect(404);
    await complete(bank!, pending).expect(200);
  },
  async 'A completion was a mistake, and no money moved'() {
    await link(bank!);
    const id = await create();
    await complete(bank!, id, { bank_reference: 'FT-1' }).expect(200);
    await repair('A completion was a mistake, and no money moved', { K7Q20CR5M3V9XHG: id });
    expect(await netOf(id)).toBe('0.00');
    // The money arrives later.
    await complete(bank!, id, { bank_reference: 'FT-1' }).expect(200);
    expect(await netOf(id)).toBe('0.00');
    await complete(bank!, id, { bank_reference: 'FT-2' }).expect(200);
    expect(await netOf(id)).toBe('25.50');
  },
  async 'A completion came again after a return or a correction'() {
    const id = await create();
    await complete(acme!, id).expect(200);
    const back = { kind: 'return', amount: '25.50', bank_reference: 'RT-1' };
    await acme!.production.post(`${contributions}/${id}/returns`, back).expect(201);
    await complete(acme!, id).expect(200);
    await repair('A completion came again after a return or a correction', { K7Q20CR5M3V9XHG: id });
    expect((await ops(['contributions', 'repeated'])).exitCode).toBe(0);
    await complete(acme!, id, { bank_reference: 'FT-2' }).expect(200);
    expect(await netOf(id)).toBe('25.50');
  },
  async 'Two parties completed one contribution, or the amounts differ'() {
    await link(bank!);
    await link(wrong!);
    const id = await create();
    await complete(wrong!, id).expect(200);
    await complete(bank!, id).expect(409);
    await repair('Two parties completed one contribution, or the amounts differ');
    await ops(['contributions', 'correct', id, '--reason', 'the first one was wrong', '--yes']);
    await complete(bank!, id).expect(200);
    await complete(wrong!, id).expect(409);
    expect(await netOf(id)).toBe('25.50');
  },
  async 'A secret has leaked'() {
    const { rows } = await service.database.admin.query<{ api_key: string }>(
      `SELECT k.api_key FROM key_pairs k JOIN environments e USING (environment_id)
         JOIN companies c USING (company_id) WHERE c.name = 'Acme Wallet' AND e.kind = 'production'`,
    );
    await repair('A secret has leaked', { 'cpk_production_…': rows[0]!.api_key });
    await acme!.production.get(contributions).expect(401);
  },
  async 'A key pair expired, or cannot do what it should'() {
    await repair('A key pair expired, or cannot do what it should');
  },
  async 'A company was frozen or suspended by mistake'() {
    await ops(['companies', 'freeze', 'Acme Wallet', '--reason', 'by mistake']);
    await ops(['companies', 'suspend', 'Acme Wallet']);
    await repair('A company was frozen or suspended by mistake');
    expect(await netOf(await create())).toBe('25.50');
  },
  async 'A company exists twice, or under a wrong name'() {
    for (const name of ['Acme Walet', 'Acme Wallett']) await ops(['companies', 'create', name]);
    await repair('A company exists twice, or under a wrong name');
  },
  async 'A user was forgotten by mistake, or should be'() {
    await create();
    const { rows } = await service.database.admin.query<{ user_id: string }>('SELECT user_id FROM users');
    await repair('A user was forgotten by mistake, or should be', { 42: rows[0]!.user_id });
  },
};

test('every section is played, except the one without a command', () => {
  const withCommands = [...sections].filter(([, text]) => commandsOf(text).length > 0);
  expect(Object.keys(played)).toEqual(withCommands.map(([title]) => title));
  expect(sections.size).toBe(10);
});

test.each(Object.keys(played))('%s', async (title) => {
  await played[title]!();
});
