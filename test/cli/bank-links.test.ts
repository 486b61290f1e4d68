import { createCompletions, type Completions } from '../support/completions';
import { operatorSettings, runOpsSeparately } from '../support/operator-commands';
import { startService, type TestCompany, type TestService } from '../support/service';

/** What an operator sees before and after a link changes. */
let service: TestService;
let company: TestCompany;
let [bank, other]: TestCompany[] = [];
let contributions: Completions;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  [company, bank, other] = [
    await service.addCompany(),
    await service.addCompany(),
    await service.addCompany(),
  ];
  contributions = await createCompletions(service, company);
});
afterAll(() => service.stop());

const ops = (...words: string[]) => runOpsSeparately(words, operatorSettings(service.database));
const change = (name: 'link-bank' | 'unlink-bank', ...options: string[]) =>
  ops('companies', name, 'test', company.name, bank!.name, ...options);
const json = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Record<string, unknown>;
const show = async (of: TestCompany) => json(await ops('companies', 'show', of.name, '--json'))['links'];
const time = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;

describe('link-bank', () => {
  test('says what it will do, and changes nothing without a confirmation', async () => {
    await contributions.link(other!);
    await contributions.create();
    await contributions.create();
    const { exitCode, stderr } = await change('link-bank');
    expect(exitCode).toBe(5);
    expect(stderr).toContain(`"${bank!.name}" will be the bank of "${company.name}" in test:`);
    expect(stderr).toContain(`"${company.name}" itself cannot complete them.`);
    expect(stderr).toContain(`will see 2 pending test contributions of "${company.name}"`);
    expect(stderr).toContain(`Linked at the same time: "${other!.name}".`);
    expect(stderr).toContain('--yes');
    expect(await show(bank!)).toEqual([]);
  });

  test('with --dry-run or --yes reports the same, and asks nothing if there is nothing to do', async () => {
    await contributions.link(other!);
    await contributions.create();
    const result = {
      ...{ environment: 'test', company: company.name, bank: bank!.name, linked: true, changed: true },
      ...{ pending_contributions: 1, other_banks: [other!.name] },
    };
    expect(json(await change('link-bank', '--dry-run', '--json'))).toEqual({ ...result, dry_run: true });
    expect(json(await change('link-bank', '--yes', '--json'))).toEqual(result);
    expect(json(await change('link-bank', '--json'))).toEqual({ ...result, changed: false });
  });

  test('rejects a bank with contributions or banks of its own, unless an option says so', async () => {
    await contributions.create();
    const swapped = ['companies', 'link-bank', 'test', bank!.name, company.name, '--yes'];
    const { exitCode, stderr } = await ops(...swapped);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cannot act as a bank in test: it has contributions of its own.*swapped/);
    expect((await ops(...swapped, '--bank-also-creates')).exitCode).toBe(0);

    await service.companies.linkBank('test', other!.name, company.name);
    const ofLinked = await ops('companies', 'link-bank', 'test', company.name, other!.name, '--yes');
    expect(ofLinked.stderr).toContain(`its own bank is "${company.name}"`);
  });

  test('rejects a bank whose live pairs cannot complete, and warns about one without a pair', async () => {
    const [host, without] = [await service.addCompany(undefined, ['contributions:create']), 'No pairs'];
    const refused = await ops('companies', 'link-bank', 'test', company.name, host.name, '--yes');
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('contributions:complete'),
    ]);
    await ops('companies', 'create', without);
    const { stderr } = await ops('companies', 'link-bank', 'test', company.name, without);
    expect(stderr).toContain('has no live key pair with contributions:complete yet');
  });

  test('asks about a company that is itself a bank', async () => {
    await service.companies.linkBank('test', other!.name, company.name);
    expect((await change('link-bank')).stderr).toContain(
      `is itself the bank of "${other!.name}". Did you swap`,
    );
  });
});

describe('unlink-bank', () => {
  test('says what the bank keeps, and changes nothing without a confirmation', async () => {
    await contributions.create();
    await contributions.link(bank!);
    await contributions.create();
    const { exitCode, stderr } = await change('unlink-bank');
    expect(exitCode).toBe(5);
    expect(stderr).toContain('created during the link: 1 pending test contribution.');
    expect(stderr).toContain(`"${company.name}" itself can complete all others: 1 pending test contribution`);
    expect(await show(bank!)).toMatchObject([{ unlinked_at: null }]);
    expect(json(await change('unlink-bank', '--yes', '--json'))).toMatchObject({
      changed: true,
      pending_contributions: 2,
      pending_contributions_of_bank: 1,
    });
    expect((await change('unlink-bank')).stderr).toContain('is not linked');
  });

  test('--as-mistake prints what the bank completed, voids the link, and records the act', async () => {
    await contributions.link(bank!);
    const [completed] = [await contributions.create(), await contributions.create()];
    await contributions.complete(bank!.test, completed, { bank_reference: 'FT-1' }).expect(200);
    const { exitCode, stderr } = await change('unlink-bank', '--as-mistake');
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/in test from \S+Z until now will count as a mistake/);
    expect(stderr).toContain(`It no longer sees 1 pending test contribution of "${company.name}".`);
    expect(stderr).toContain(`"${bank!.name}" keeps what it completed: 1 contribution without returns`);
    await contributions.read(bank!.test, completed).expect(200);

    const dry = await change('unlink-bank', '--as-mistake', '--dry-run');
    expect(dry.stdout).toContain(completed);
    expect(await show(bank!)).toMatchObject([{ voided_at: null }]);
    const done = await change('unlink-bank', '--as-mistake', '--yes');
    expect(done.exitCode).toBe(0);
    expect(done.stdout).toMatch(new RegExp(`completed_by_bank +1\\n[^]*${completed} +25.50 .*FT-1`));
    expect(done.stderr).toContain('contributions correct ID');
    expect(await show(bank!)).toEqual([
      {
        ...{ environment: 'test', role: 'company', company: company.name },
        ...{ linked_at: time, unlinked_at: time, voided_at: time },
      },
    ]);
    const actions = json(await ops('actions', 'list', '--command', 'companies unlink-bank', '--json'));
    expect((actions['actions'] as unknown[])[0]).toMatchObject({
      target: `${company.name} test`,
      arguments: { as_mistake: true, bank: bank!.name },
      result: { changed: true, linked_at: time, voided_at: time },
    });
  });

  test('--as-mistake takes a former link by its start, as companies show prints it', async () => {
    await contributions.link(bank!);
    await contributions.unlink(bank!);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await contributions.link(bank!);
    const [, active] = (await show(company)) as { linked_at: string }[];
    expect(json(await change('unlink-bank', '--as-mistake', '--yes', '--json'))).toMatchObject({
      linked_at: active!.linked_at,
      completed_by_bank: [],
    });
    const several = await change('unlink-bank', '--as-mistake', '--yes');
    expect(several.exitCode).toBe(1);
    expect(several.stderr).toMatch(/Say which link[^]*\(ended [^]*\(voided\)/);
    const { stdout } = await ops('companies', 'show', company.name);
    const [, linkedAt = ''] = /its bank .*?(\d{4}-\S+Z)/.exec(stdout) ?? [];
    const options = ['--as-mistake', '--linked-at', linkedAt];
    expect((await change('unlink-bank', ...options)).stderr).toMatch(
      /from \S+Z to \S+Z will count as a mistake/,
    );
    expect(json(await change('unlink-bank', ...options, '--yes', '--json'))['changed']).toBe(true);
    // Nothing is left to confirm.
    expect(json(await change('unlink-bank', ...options, '--json'))['changed']).toBe(false);
    expect((await change('unlink-bank', '--linked-at', linkedAt)).exitCode).toBe(2);
  });
});

test('companies show lists the banks of a company, and the companies of a bank', async () => {
  await service.companies.linkBank('test', company.name, bank!.name);
  await service.companies.linkBank('production', company.name, other!.name);
  await service.companies.linkBank('test', other!.name, company.name);
  const link = { linked_at: time, unlinked_at: null, voided_at: null };
  expect(await show(company)).toEqual([
    { environment: 'production', role: 'bank', company: other!.name, ...link },
    { environment: 'test', role: 'bank', company: bank!.name, ...link },
    { environment: 'test', role: 'company', company: other!.name, ...link },
  ]);
  expect((await ops('companies', 'create', 'Unlinked')).exitCode).toBe(0);
  expect((await ops('companies', 'show', 'Unlinked')).stdout).toContain('It has never been linked.');
});
