import { readFileSync } from 'node:fs';
import path from 'node:path';

import { createCompletions } from '../support/completions';
import { operatorSettings, runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';

let service: TestService;
let company: TestCompany;
let folder: ReturnType<typeof temporaryFolder>;
let shortId: string;

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
  company = await service.addCompany('<b>Acme</b> & "Sons"');
  const contributions = await createCompletions(service, company);
  shortId = await contributions.create();
  await contributions.complete(company.test, shortId).expect(200);
  const today = new Date().toISOString().slice(0, 10);
  const lines = [
    { id: shortId, cents: 20_00n, reference: 'A', date: today },
    { cents: 7_00n, reference: 'B', text: 'rent', date: today },
  ];
  await uploadAndWait(company.test, statementFile(lines, { from: today }));
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const report = (...words: string[]) =>
  runOps(['reconciliation', 'report', 'test', company.name, ...words], operatorSettings(service.database));

test('the report has open days, the reconciliation, the open position and the unexplained entry, and exits with 3', async () => {
  await service.database.admin.query(
    `INSERT INTO contribution_totals_turn (complete_until) VALUES (now())
     ON CONFLICT (only_row) DO UPDATE SET complete_until = now()`,
  );
  const file = path.join(folder.path, 'report.html');
  const { output, exitCode } = await report('--html', file, '--json');
  const { open, complete_until: completeUntil } = JSON.parse(output) as Record<string, unknown>;
  expect(open).toBe(1);
  expect(completeUntil).toMatch(/^\d{4}-/);
  expect(exitCode).toBe(3);
  const html = readFileSync(file, 'utf8');
  expect(html).toContain('&lt;b&gt;Acme&lt;/b&gt; &amp; &quot;Sons&quot;');
  expect(html).toContain(`<code>${shortId}</code>`);
  expect(html).toContain('<td class="number">-5.50</td>');
  expect(html).toContain('<td class="text">no_reference</td><td class="text">credit</td>');
  expect(html).toContain('<td class="text"><span class="open">missing</span></td>');
  const terms = ['1,000,000.00', '20.00', '0.00', '0.00', '0.00', '7.00', '1,000,027.00'];
  expect(html).toContain(terms.map((amount) => `<td class="number">${amount}</td>`).join(''));
});

test('a range without contributions has missing days, and an empty range is rejected', async () => {
  const file = path.join(folder.path, 'empty.html');
  const past = await report('--html', file, '--from', '2020-01-01', '--to', '2020-12-31');
  expect(past.output).toMatch(/^open_or_missing_days +365$/m);
  expect(past.output).toMatch(/^open +0$/m);
  expect(past.exitCode).toBe(3);
  expect(readFileSync(file, 'utf8')).toContain('Totals per month');
  const wrong = await report('--html', file, '--from', '2020-01-02', '--to', '2020-01-02');
  expect(wrong.output).toContain('--to must be later than --from.');
  expect(wrong.exitCode).toBe(2);
});
