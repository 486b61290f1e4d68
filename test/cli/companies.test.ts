import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { operatorSettings, runOps, runOpsSeparately } from '../support/operator-commands';
import { startService, type TestService } from '../support/service';

/** The commands that change a company as a whole. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const run = (...words: string[]) => runOps(['companies', ...words], operatorSettings(service.database));
const json = async (...words: string[]): Promise<Record<string, unknown>> => {
  const settings = operatorSettings(service.database);
  const { stdout } = await runOpsSeparately(['companies', ...words, '--json'], settings);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const latestAction = async () =>
  (
    await operate(service.database, ({ actions }) => actions.list({ command: undefined, limit: 1 }), 'read')
  )[0];

const create = (name: string) => json('create', name);

describe('a name', () => {
  test.each([
    ['a control character', 'Two\tWords', 'invisible character (U+0009)'],
    ['a zero-width space', 'Zero\u200bwidth', 'invisible character (U+200B)'],
    ['a change of direction', 'Left\u202eright', 'invisible character (U+202E)'],
    ['an invisible letter', 'Filler\u3164', 'invisible character (U+3164)'],
    [
      'a Cyrillic letter in a Latin word',
      'Аcme Wallet',
      'mixes Latin letters with those of another alphabet',
    ],
    ['the form of a company_id', '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b', 'cannot look like a company_id'],
    ['nothing', '  ', 'Enter 1 to 200 characters'],
  ])('with %s is rejected when it is created or given', async (_what, name, reason) => {
    const { name: existing } = await service.addCompany();
    for (const words of [
      ['create', name],
      ['rename', existing, name],
    ]) {
      const { exitCode, output } = await run(...words);
      expect([exitCode, output]).toEqual([2, expect.stringContaining(reason)]);
    }
  });

  test('may have words in other alphabets', async () => {
    for (const name of ['Банк Acme', 'Ελλάδα Bank', '東京 Bank', 'Müller & Söhne'])
      expect(await create(name)).toMatchObject({ name });
  });

  test('that counts as equal is rejected, and the existing company is named', async () => {
    await create('Equal Name');
    for (const words of [
      ['create', 'EQUAL  name'],
      ['rename', (await service.addCompany()).name, 'equal name'],
    ]) {
      const { exitCode, output } = await run(...words);
      expect(exitCode).toBe(1);
      expect(output).toContain('A company named "Equal Name" already exists. Names must differ in more than');
    }
  });

  test('can change its own case', async () => {
    await create('lower case');
    expect(await json('rename', 'LOWER CASE', 'Lower Case')).toEqual({
      former_name: 'lower case',
      name: 'Lower Case',
      changed: true,
    });
    expect(await json('rename', 'lower case', 'Lower Case')).toMatchObject({ changed: false });
  });
});

describe('a company_id', () => {
  test('is accepted by every command that takes the name of a company', async () => {
    const { name, test: pair } = await service.addCompany();
    const projectId = await addProject(service.database.admin);
    await pair
      .put('/company/integration/contributions/create', {
        project_id: projectId,
        amount: '3.00',
        user_hash: 'u',
      })
      .expect(201);
    const { rows } = await service.database.admin.query<{ user_id: string }>(
      'SELECT u.user_id FROM users u JOIN key_pairs k USING (environment_id) WHERE k.api_key = $1',
      [pair.apiKey],
    );
    const userId = String(rows[0]?.user_id);
    const { company_id: id } = await json('show', name);
    const bank = await json('create', 'A bank by id');
    const settings = operatorSettings(service.database);
    const ids = [String(id), String(bank['company_id'])] as const;
    for (const words of [
      ['companies', 'show', ids[0]],
      ['companies', 'suspend', ids[0]],
      ['companies', 'resume', ids[0].toUpperCase()],
      ['companies', 'freeze', ids[0], '--reason', 'x'],
      ['companies', 'unfreeze', ids[0]],
      ['companies', 'link-bank', 'test', ...ids, '--yes'],
      ['companies', 'unlink-bank', 'test', ...ids, '--yes'],
      ['companies', 'set-rate-limits', 'test', ids[0], '--requests-per-second', '70'],
      ['companies', 'rename', ids[1], 'A bank by name'],
      ['contributions', 'list', ids[0]],
      ['users', 'export', 'test', ids[0], '--user-id', userId],
      ['contributions', 'totals', ids[0]],
      ['contributions', 'export', ids[0]],
      ['events', 'list', ids[0]],
      ['events', 'feed', ids[0]],
      ['webhooks', 'list', ids[0]],
      ['keys', 'safe-to-revoke', ids[0]],
      ['reconciliation', 'summary', 'test', ids[0]],
      ['statements', 'list', 'test', ids[0]],
    ])
      expect([words, (await runOps(words, settings)).exitCode]).toEqual([words, 0]);
    const { output } = await runOps(['keys', 'list', ids[0]], settings);
    expect(output).toContain(pair.apiKey);
    const unknown = await run('show', '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b');
    expect(unknown.output).toMatch(/^There is no company .*Run companies list/);
  });
});

describe('a deletion', () => {
  test('asks first, removes a company without contributions, and stays in the audit log', async () => {
    const { company_id: id } = await create('Mistaken');
    const refused = await run('delete', 'Mistaken');
    expect(refused.exitCode).toBe(5);
    expect(refused.output).toContain(`"Mistaken" (company_id ${String(id)})`);
    expect(await json('delete', 'mistaken', '--yes')).toEqual({
      company_id: id,
      name: 'Mistaken',
      deleted: true,
    });
    expect((await run('show', 'Mistaken')).exitCode).toBe(1);
    expect(await latestAction()).toMatchObject({
      command: 'companies delete',
      target: 'Mistaken',
      result: { company_id: id },
    });
    expect(await create('Mistaken')).toMatchObject({ name: 'Mistaken' });
  });

  test('removes revoked pairs and the state of the sandbox too', async () => {
    const { name, test: pair } = await service.addCompany();
    await pair.get('/company/integration/get/projects').expect(200);
    await pair.put('/company/integration/sandbox/settings', { bank: 'none', settle_after_seconds: 1 });
    const live = await run('delete', name, '--yes');
    expect([live.exitCode, live.output]).toEqual([1, expect.stringContaining('Run companies revoke-keys')]);
    await run('revoke-keys', name, '--yes');
    expect(await run('delete', name, '--yes')).toMatchObject({ exitCode: 0 });
  });

  test('is rejected after a link or a contribution, and nothing changes', async () => {
    const [linked, bank, active] = [
      await service.addCompany(),
      await service.addCompany(),
      await service.addCompany(),
    ];
    await service.companies.linkBank('test', linked.name, bank.name);
    await service.companies.unlinkBank('test', linked.name, bank.name);
    const projectId = await addProject(service.database.admin);
    await active.test
      .put('/company/integration/contributions/create', {
        project_id: projectId,
        amount: '3.00',
        user_hash: 'u',
      })
      .expect(201);
    for (const { name } of [linked, bank, active]) await run('revoke-keys', name, '--yes');
    for (const [{ name }, reason] of [
      [linked, 'has or had a bank link'],
      [bank, 'has or had a bank link'],
      [active, 'has contributions, users or events'],
    ] as const) {
      const { exitCode, output } = await run('delete', name, '--yes');
      expect([exitCode, output]).toEqual([1, expect.stringContaining(reason)]);
      expect(output).toContain('Run companies suspend');
      expect(
        (await runOps(['keys', 'list', name, '--all'], operatorSettings(service.database))).output,
      ).toContain('revoked');
    }
  });
});

describe('a freeze', () => {
  test('is shown with its reason and time, and recorded in the audit log', async () => {
    const { name } = await service.addCompany();
    expect(await json('freeze', name, '--reason', 'keys leaked, until Monday')).toEqual({
      company: name,
      frozen: true,
      changed: true,
    });
    expect(await latestAction()).toMatchObject({
      command: 'companies freeze',
      target: name,
      arguments: { reason: 'keys leaked, until Monday' },
      result: { changed: true },
    });
    expect(await json('show', name)).toMatchObject({
      frozen_at: expect.stringMatching(/^20/) as string,
      frozen_reason: 'keys leaked, until Monday',
    });
    expect((await run('list')).output).toContain('FROZEN');
    expect(await json('unfreeze', name)).toEqual({ company: name, frozen: false, changed: true });
    expect(await latestAction()).toMatchObject({ command: 'companies unfreeze', result: { changed: true } });
    expect(await json('unfreeze', name)).toMatchObject({ changed: false });
    expect(await json('show', name)).toMatchObject({ frozen_at: null, frozen_reason: null });
  });

  test('needs a reason and a company, and changes nothing in a dry run', async () => {
    const { name } = await service.addCompany();
    expect(await run('freeze', name)).toMatchObject({
      exitCode: 2,
      output: expect.stringContaining('--reason') as string,
    });
    expect(await run('freeze', 'Nobody', '--reason', 'x')).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('Run companies list') as string,
    });
    await run('freeze', name, '--reason', 'x', '--dry-run');
    expect(await json('show', name)).toMatchObject({ frozen_at: null });
  });
});
