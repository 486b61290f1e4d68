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
