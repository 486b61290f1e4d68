import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { VerificationReport } from '../../src/operator/verification/verification-report';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { addProject } from '../support/catalogue';
import { runOps } from '../support/operator-commands';
import { build, root, runProcess, temporaryFolder } from '../support/program';
import { countAll } from '../support/totals';
import { randomPepper } from '../support/pepper';
import { startService } from '../support/service';

/** `bin/contribution-service verify` as an operator runs it. */
const verify = (database: TestDatabase, ...options: string[]) =>
  runOps(['verify', ...options], {
    DATABASE_URL: database.url,
    DATABASE_OPERATOR_URL: database.operatorUrl,
  });

let database: TestDatabase;
let transactionId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const service = await startService({ database });
  const company = await service.addCompany();
  const { body } = await company.test
    .put('/company/integration/contributions/create', {
      project_id: await addProject(database.admin),
      amount: '1.00',
      user_hash: 'user',
    })
    .expect(201);
  transactionId = body.transaction_id as string;
  await service.stop();
});
afterAll(() => database.drop());

test('without findings it says so and exits with 0; with a finding it names the row and exits with 3', async () => {
  const before = await verify(database);
  expect(before).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/checks of 3 environments: no violations\n$/),
  });

  // Otherwise the totals miss the event too.
  await countAll(database.admin);
  await database.admin.query(
    'SET session_replication_role = replica; DELETE FROM events; RESET session_replication_role',
  );
  const after = await verify(database);
  expect(after.exitCode).toBe(3);
  expect(after.output).toContain(`transaction_id ${transactionId}  it has no contribution.created event`);

  const asJson = await verify(database, '--json');
  expect(asJson.exitCode).toBe(3);
  const report = JSON.parse(asJson.output) as VerificationReport;
  expect(report.violationCount).toBe(1);
  expect(report.checks.find(({ check }) => check === 'creation-recorded')?.violations).toEqual([
    {
      environment_id: expect.any(Number),
      transaction_id: transactionId,
      problem: 'it has no contribution.created event',
    },
  ]);
});

test('with an audit head that does not match it names the position and exits with 3; with an invalid head it exits with 2', async () => {
  const head = `12:${'a'.repeat(64)}`;
  const { exitCode, output } = await verify(database, '--audit-head', `0:${'0'.repeat(64)}`, head);
  expect(exitCode).toBe(3);
  expect(output).toContain('position 12  it is missing: the end of the log was removed');
  expect(output).not.toContain('position 0 ');
  expect((await verify(database, '--audit-head', '12:abc')).exitCode).toBe(2);
});

test('the documented cron line saves a head that verify accepts, with and without quotes', async () => {
  await build();
  const audited = await createTestDatabase();
  const folder = temporaryFolder();
  const settings = {
    DATABASE_URL: audited.url,
    DATABASE_OPERATOR_URL: audited.operatorUrl,
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    PATH: `${folder.path}:${process.env['PATH'] ?? ''}`,
  };
  try {
    const created = await runOps(['companies', 'create', 'Acme'], settings);
    expect(created).toMatchObject({ exitCode: 0 });
    const kept = path.join(folder.path, 'kept');
    writeFileSync(path.join(folder.path, 'aws'), `#!/bin/sh\necho "$*" >&2; cat >'${kept}'\n`, {
      mode: 0o755,
    });
    const commands = readFileSync(path.join(root, 'docs/operations/commands.md'), 'utf8');
    const [, line = ''] = /^17 (?:\* ){4} *(.*actions head.*)$/m.exec(commands) ?? [];
    // cron ends the line at a % that is not escaped.
    const command = line.replaceAll('\\%', '%').replace('/opt/contribution-service', root);
    const stored = await runProcess('/bin/sh', ['-c', command], settings);
    expect(stored).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^s3 cp - s3:\/\/audit-heads\/\d{4}-\d\d-\d\dT\d{4}Z$/m),
    });

    const head = readFileSync(kept, 'utf8').trim();
    expect(head).toMatch(/^1:[0-9a-f]{64} \S+Z$/);
    for (const given of [[head], head.split(' '), [head, ...head.split(' ')]]) {
      expect(await verify(audited, '--audit-head', ...given)).toMatchObject({ exitCode: 0 });
    }
    expect(await verify(audited, '--audit-head', head.split(' ')[1]!)).toMatchObject({ exitCode: 2 });
    const another = head.replace(/:./, (start) => (start === ':0' ? ':1' : ':0'));
    expect(await verify(audited, '--audit-head', another)).toMatchObject({ exitCode: 3 });
  } finally {
    folder.remove();
    await audited.drop();
  }
});

test('when only one table is unreadable it says so and exits with 1, from the build too', async () => {
  await build();
  const damaged = await createTestDatabase();
  await damaged.admin.query(`UPDATE pg_class SET relfilenode = 999999999 WHERE oid = 'supports'::regclass`);
  const settings = { DATABASE_URL: damaged.url, DATABASE_OPERATOR_URL: damaged.operatorUrl };
  const { exitCode, output } = await runProcess(
    process.execPath,
    ['dist/src/operator/cli/main.js', 'verify'],
    settings,
  );
  expect(exitCode).toBe(1);
  expect(output).toContain('support-once: could not run, could not open file');
  expect(output).toMatch(/no violations, \d+ statements failed, so this is incomplete\n$/);
  await damaged.drop();
});

test('without configuration it exits with 2 and checks nothing', async () => {
  const { exitCode, output } = await runOps(['verify'], { NODE_ENV: 'production' });
  expect(exitCode).toBe(2);
  expect(output).toContain('DATABASE_URL');
});

test('with an unreachable database it says so and exits with 1', async () => {
  const gone = { ...database, operatorUrl: database.operatorUrl.replace(/\/[^/]*$/, '/nothing') };
  const { exitCode, output } = await verify(gone);
  expect(exitCode).toBe(1);
  expect(output).toContain('does not exist');
});
