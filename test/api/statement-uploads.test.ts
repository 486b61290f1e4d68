import type { Response } from 'supertest';

import {
  readingEnded,
  statementFile,
  statementsPath,
  type UploadedFile,
  uploadAndWait,
} from '../support/statement-files';
import { readMoney, setUpStatements } from '../support/statement-setup';

/** Uploads that repeat a file with other options, or that reach a limit. */
const setup = setUpStatements();

describe('the same bytes', () => {
  const file = 'Date,Booked,Amount,Text\n2026-11-20,2026-11-21,1.00,rent\n';
  const uploadCsv = (mapping: object, query = '&account=main') => {
    const written = encodeURIComponent(JSON.stringify({ amount: 'Amount', texts: ['Text'], ...mapping }));
    return setup.company.test
      .post(`${statementsPath}?mapping=${written}${query}`)
      .set('Content-Type', 'text/csv')
      .send(file);
  };

  test('with another mapping, account or direction are refused until the file is voided', async () => {
    const first: Response = await uploadCsv({ date: 'Date' }).expect(202);
    const { file_id: fileId } = first.body as UploadedFile;
    await readingEnded(setup.company.test, fileId);
    for (const other of [
      uploadCsv({ date: 'Booked' }),
      uploadCsv({ date: 'Date' }, '&account=other'),
      uploadCsv({ date: 'Date' }, '&account=main&direction=debit'),
    ]) {
      const refused: Response = await other.expect(409);
      expect(refused.body).toMatchObject({
        code: 'statement_options_differ',
        detail: expect.stringContaining(fileId) as string,
      });
    }
    await uploadCsv({ date: 'Date', decimal: '.' }).expect(200);
    await setup.company.test
      .post(`${statementsPath}/${fileId}/void`)
      .send({ reason: 'Wrong column' })
      .expect(200);
    await uploadCsv({ date: 'Booked' }).expect(202);
  });
});

test('a sum of amounts above 64 bits does not stop a file', async () => {
  const id = await setup.contributions.create();
  const line = (reference: string) => ({ cents: 25_50n, id, reference });
  await uploadAndWait(
    setup.company.test,
    statementFile([line('REF-1'), line('REF-2')], { from: '2026-11-20' }),
  );
  // The real limit needs thousands of the largest amounts.
  await setup.service.database.admin.query(
    'UPDATE contribution_money SET gross_cents = 9223372036854775000 WHERE transaction_id = $1',
    [id],
  );
  await uploadAndWait(setup.company.test, statementFile([line('REF-3')], { from: '2026-11-21' }));
  expect(await readMoney(setup.company.test, id)).toMatchObject({
    gross_amount: '92233720368547775.50',
    position: 'over',
  });
  const summary: Response = await setup.company.test
    .get('/company/integration/reconciliation/summary')
    .expect(200);
  expect(summary.body).toMatchObject({ open: 1 });
});
