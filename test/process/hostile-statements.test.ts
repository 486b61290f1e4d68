import type { Scope } from '../../src/shared/scopes';
import { type BuiltService, credentialHeaders, prepareBuiltService } from '../support/built-service';
import { longTest } from '../support/full-run';
import { RunningService } from '../support/program';
import { statementsPath } from '../support/statement-files';

/** Files that exceed the memory of the thread that reads them must not end the built program. */
let built: BuiltService<'Acme'>;
let service: RunningService;

beforeAll(async () => {
  const scopes: Scope[] = ['statements:read', 'statements:write'];
  built = await prepareBuiltService({ Acme: scopes });
  service = await RunningService.start(built.settings);
});
afterAll(() => built.remove());

const mapping = JSON.stringify({ date: 'Date', amount: 'Amount', texts: ['Text'] });

async function check(file: string, query = ''): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.baseUrl}${statementsPath}?dry_run=1${query}`, {
    method: 'POST',
    headers: { ...credentialHeaders(built.pairs.Acme), 'Content-Type': 'text/plain' },
    body: file,
  });
  return { status: response.status, body: await response.json() };
}

const refused = { status: 422, body: { code: 'statement_unreadable' } };
const stillAnswers = async (): Promise<void> => {
  const response = await fetch(`${service.baseUrl}/health/live`);
  expect(response.status).toBe(200);
};

test('a CSV file with millions of columns is rejected, and the service still responds', async () => {
  const commas = ','.repeat(7_000_000);
  const file = `Date,Amount,Text${commas}\n2026-11-20,1.00,x${commas}\n`;
  const query = `&account=main&mapping=${encodeURIComponent(mapping)}`;
  expect(await check(file, query)).toMatchObject(refused);
  await stillAnswers();
});

longTest(
  'a file that uses up the memory of its thread is rejected, and the service still responds',
  async () => {
    const part =
      '<TxDtls><Refs><EndToEndId>E</EndToEndId><InstrId>I</InstrId><TxId>T</TxId></Refs><Amt Ccy="USD">1</Amt></TxDtls>';
    const parts = part.repeat(99_000);
    const file = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>1</Id></Othr></Id></Acct><Ntry><Amt Ccy="USD">99000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls>${parts}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
    const { status } = await check(file);
    expect([200, 422]).toContain(status);
    await stillAnswers();
  },
);
