import { addProject } from '../support/catalogue';
import { operatorSettings, runOpsSeparately } from '../support/operator-commands';
import { operatorLogin } from '../support/role-url';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/** The operator's command that takes a completion back. */
const contributions = '/company/integration/contributions';
let service: TestService;
let company: TestCompany;
let id: string;

beforeEach(async () => {
  service = await startService();
  company = await service.addCompany('Acme');
  const body = { project_id: await addProject(service.database.admin), amount: '7.50', user_hash: 'user' };
  const created = await company.test.put(`${contributions}/create`, body).expect(201);
  ({ transaction_id: id } = created.body as { transaction_id: string });
});
afterEach(async () => {
  try {
    expect((await verificationOf(service.database.operatorUrl)).violationCount).toBe(0);
  } finally {
    await service.stop();
  }
});

const ops = (...words: string[]) => runOpsSeparately(words, operatorSettings(service.database));
const complete = (reference: string) =>
  company.test.put(`${contributions}/${id}`, { status: 'completed', bank_reference: reference }).expect(200);
const read = async () => (await company.test.get(`${contributions}/${id}`).expect(200)).body as object;
const correct = (reason: string, ...more: string[]) =>
  ops('contributions', 'correct', id, '--reason', reason, ...more);

test('shows what it takes back, and needs a confirmation', async () => {
  await complete('FT-1');
  const { exitCode, stderr } = await correct('wrong line');
  expect(exitCode).toBe(5);
  expect(stderr).toContain(`The completion of ${id} (7.50 US dollars, "Acme" test) by "Acme" at`);
  expect(stderr).toContain('with the reference FT-1 will be taken back');
  expect(await read()).toMatchObject({ net_amount: '7.50' });
});

test('takes the completion back as the operator, and the same reason again changes nothing', async () => {
  await complete('FT-1');
  const { exitCode, stdout } = await correct('wrong line', '--yes', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([
    0,
    { transaction_id: id, completed_by: 'Acme', bank_reference: 'FT-1', changed: true },
  ]);
  expect(await read()).toMatchObject({ net_amount: '0.00', status: 'completed' });
  const { rows } = await service.database.admin.query(
    `SELECT actor_environment_id, actor_api_key, actor_login FROM corrections
      UNION ALL
     SELECT actor_environment_id, actor_api_key, actor_login FROM events WHERE type = 'contribution.corrected'`,
  );
  const actor = { actor_environment_id: null, actor_api_key: null, actor_login: operatorLogin };
  expect(rows).toEqual([actor, actor]);
  expect((await ops('contributions', 'history', id)).stdout).toMatch(
    new RegExp(`corrected +${operatorLogin}`),
  );
  await complete('FT-2');
  const repeat = await correct('wrong line', '--yes');
  expect([repeat.exitCode, repeat.stderr]).toEqual([
    1,
    expect.stringContaining('The completion in force, by "Acme", still counts'),
  ]);
  expect(await read()).toMatchObject({ net_amount: '7.50', bank_reference: 'FT-2' });
});

test('says why it cannot, and what to do', async () => {
  expect((await correct('wrong', '--yes')).stderr).toContain(`${id} is pending`);
  await complete('FT-1');
  const back = { kind: 'return', amount: '1.00', bank_reference: 'RT-1' };
  await company.test.post(`${contributions}/${id}/returns`, back).expect(201);
  expect((await correct('wrong', '--yes')).stderr).toContain('has returns, so money moved');
  const unknown = await ops(
    'contributions',
    'correct',
    `${id.slice(0, 4)}0VCJMEP24J8`,
    '--reason',
    'r',
    '--yes',
  );
  expect(unknown.exitCode).not.toBe(0);
});
