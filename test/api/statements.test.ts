import type { Response } from 'supertest';

import { generateTransactionId } from '../../src/shared/transaction-id';
import { createCompletions } from '../support/completions';
import {
  daysCompared,
  type Line,
  readingEnded,
  statementFile,
  statementsPath,
  upload,
  type UploadedFile,
  uploadAndWait,
} from '../support/statement-files';
import {
  accountsPath,
  type Entry,
  type Money,
  readAccountId,
  readEntries,
  readMoney,
  setUpStatements,
} from '../support/statement-setup';
import { until } from '../support/until';

/** Bank statements: import, matching and positions. Contributions are 25.50 dollars. */
const setup = setUpStatements();

const amount = 25_50n;
const completed = (evidence = {}): Promise<string> => setup.contributions.createCompleted('25.50', evidence);
const money = (id: string): Promise<Money> => readMoney(setup.company.test, id);
const positionOf = async (id: string): Promise<string> => (await money(id)).position;
const entriesOf = (fileId: string): Promise<Entry[]> => readEntries(setup.company.test, fileId);
const listed = async (): Promise<UploadedFile[]> =>
  ((await setup.company.test.get(statementsPath).expect(200)).body as { data: UploadedFile[] }).data;
const paid = (id: string, more: Partial<Line> = {}): Line => ({
  cents: amount,
  id,
  reference: `R-${id}`,
  ...more,
});
const returnedPart = (id: string, cents: bigint, reference: string): Line =>
  paid(id, { cents, direction: 'debit', reference, returnCode: 'AC04' });
const day = { from: '2026-11-20' };

describe('an upload', () => {
  test('is stored once: the same bytes get the first response again', async () => {
    const file = statementFile([paid(await completed())], day);
    const first = await upload(setup.company.test, file).expect(202);
    const { file_id: fileId } = first.body as UploadedFile;
    const read = await readingEnded(setup.company.test, fileId);
    expect(read).toMatchObject({ state: 'read', format: 'camt.053', entries: 1, problems: [] });
    const again = await upload(setup.company.test, file).expect(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toMatchObject({ file_id: fileId });
    expect(await listed()).toHaveLength(1);
  });

  test('may be a form with the file', async () => {
    const file = statementFile([paid(await completed())], day);
    const response = await setup.company.test
      .post(statementsPath)
      .attach('file', Buffer.from(file), { filename: 'statement.xml', contentType: 'application/xml' })
      .expect(202);
    const { file_id: fileId } = response.body as UploadedFile;
    expect(await readingEnded(setup.company.test, fileId)).toMatchObject({ entries: 1 });
    await setup.company.test.post(statementsPath).field('file', 'text').expect(400);
  });

  test('stores nothing in a dry run', async () => {
    const file = statementFile([paid(await completed())], day);
    const dry = await upload(setup.company.test, file, '?dry_run=1').expect(200);
    expect(dry.body).toMatchObject({
      state: 'checked',
      entries: 1,
      reading: { outcomes: { found: 1, no_reference: 0, unreadable: 0 } },
    });
    expect(await listed()).toEqual([]);
  });

  test('says in a dry run that no line can be read', async () => {
    const mapping = '{"date":"Date","amount":"Amount","texts":["Text"]}';
    const csv = 'Date,Amount,Text\n20/11/2026,25.00,a gift\n21/11/2026,26.00,a gift\n';
    const query = `?dry_run=1&account=a&mapping=${encodeURIComponent(mapping)}`;
    const { body } = await upload(setup.company.test, csv, query).expect(200);
    expect(body).toMatchObject({
      state: 'checked',
      entries: 2,
      reading: { outcomes: { found: 0, unreadable: 2 } },
    });
  });

  test('that cannot be read is rejected with the reason, and counts nothing', async () => {
    const file = statementFile([paid(await completed())], day);
    const bomb = file.replace('<Document', '<!DOCTYPE a [<!ENTITY a "b">]><Document');
    for (const content of [file.slice(0, -30), bomb]) {
      const dry = await upload(setup.company.test, content, '?dry_run=1').expect(422);
      const { body } = (await upload(setup.company.test, content).expect(202)) as { body: UploadedFile };
      const read = await readingEnded(setup.company.test, body.file_id);
      expect(read).toMatchObject({ state: 'rejected', statements: null });
      expect(dry.body).toMatchObject({ code: 'statement_unreadable', detail: read.reason });
    }
    await setup.company.test
      .post(statementsPath)
      .set('Content-Type', 'image/png')
      .send(Buffer.from('x'))
      .expect(415);
    expect(await listed()).toHaveLength(2);
  });

  test('stores no account number and no text', async () => {
    const id = await completed();
    await uploadAndWait(
      setup.company.test,
      statementFile([paid(id, { text: 'Jane Canary-Name gave 12345678901234' })], {
        ...day,
        account: 'CANARYACCOUNT9999',
      }),
    );
    for (const table of [
      ...['statement_accounts', 'statement_uploads', 'bank_statements', 'statement_days', 'statement_lines'],
      ...['account_days', 'line_outcomes', 'line_references', 'line_allocations'],
    ]) {
      const { rows } = await setup.service.database.admin.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t`,
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.map(({ row }) => row).join('\n')).not.toMatch(/canary|Jane|12345678901234/i);
    }
  });
});

describe('positions', () => {
  test('follow from the money that arrived', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => completed()));
    const [matchedId = '', short = '', over = '', twice = '', absent = '', returned = ''] = ids;
    const pending = await setup.contributions.create();
    await uploadAndWait(
      setup.company.test,
      statementFile(
        [
          paid(matchedId),
          paid(short, { cents: 20_00n }),
          paid(over, { cents: 30_00n }),
          paid(twice),
          paid(twice, { reference: 'second' }),
          paid(pending),
          paid(returned),
          paid(returned, { direction: 'debit', reference: 'back' }),
        ],
        day,
      ),
    );
    const expected = {
      [matchedId]: 'matched',
      [short]: 'short',
      [over]: 'over',
      [twice]: 'duplicate',
      [absent]: 'unconfirmed',
      [pending]: 'money_without_completion',
      [returned]: 'returned',
    };
    const found: Record<string, string> = {};
    for (const id of Object.keys(expected)) found[id] = await positionOf(id);
    expect(found).toEqual(expected);

    const list: Response = await setup.company.test
      .get('/company/integration/reconciliation?open=1')
      .expect(200);
    const data = (list.body as { data: { transaction_id: string; position: string }[] }).data;
    expect(data.map(({ position }) => position).sort()).toEqual([
      'duplicate',
      'money_without_completion',
      'over',
      'short',
    ]);
    const summary: Response = await setup.company.test
      .get('/company/integration/reconciliation/summary')
      .expect(200);
    expect(summary.body).toMatchObject({ is_complete: true, open: 4 });
    const short_: Response = await setup.company.test
      .get('/company/integration/reconciliation?position=short')
      .expect(200);
    expect(
      (short_.body as { data: { transaction_id: string }[] }).data.map((one) => one.transaction_id),
    ).toEqual([short]);
  });

  test('charges that the entry states count as paid', async () => {
    const id = await completed();
    await uploadAndWait(
      setup.company.test,
      statementFile([paid(id, { cents: 25_00n, chargesCents: 50n })], day),
    );
    expect(await money(id)).toMatchObject({ position: 'matched', gross_amount: '25.50' });
  });

  test('a return that was recorded with the service and is in the statement counts once', async () => {
    const id = await completed();
    await setup.company.test
      .post(`/company/integration/contributions/${id}/returns`, {
        kind: 'return',
        amount: '10.00',
        bank_reference: 'RT-1',
      })
      .expect(201);
    await uploadAndWait(setup.company.test, statementFile([paid(id), returnedPart(id, 10_00n, 'RT-1')], day));
    expect(await money(id)).toMatchObject({ position: 'partially_returned', net_amount: '15.50' });
  });

  test('a return that was only recorded and another that is only in the statement both count', async () => {
    const id = await completed();
    for (const [reference, cents] of [
      ['RT-1', '10.00'],
      ['RT-2', '3.00'],
    ]) {
      await setup.company.test
        .post(`/company/integration/contributions/${id}/returns`, {
          kind: 'return',
          amount: cents,
          bank_reference: reference,
        })
        .expect(201);
    }
    // The bank writes another reference in its statement.
    const stated = [returnedPart(id, 3_00n, 'AX-2'), returnedPart(id, 5_00n, 'AX-3')];
    await uploadAndWait(setup.company.test, statementFile([paid(id), ...stated], day));
    expect(await money(id)).toMatchObject({ position: 'partially_returned', net_amount: '7.50' });
  });

  test('money counts only if the totals of a statement are right', async () => {
    const id = await completed();
    const lines = [paid(id)];
    await uploadAndWait(setup.company.test, statementFile(lines, { ...day, closingCents: 1n }));
    expect((await money(id)).entries[0]?.allocations).toMatchObject([{ state: 'proposed' }]);
    expect(await positionOf(id)).toBe('unconfirmed');
    await uploadAndWait(setup.company.test, statementFile(lines, day));
    expect(await positionOf(id)).toBe('matched');
  });
});

test('money is missing if complete statements cover its due day without a gap', async () => {
  const id = await completed({ value_date: '2026-11-19' });
  const on = (from: string, to: string, balanceCents = 100_00n) =>
    uploadAndWait(setup.company.test, statementFile([], { from, to, openingCents: balanceCents }));
  await on('2026-11-19', '2026-11-19');
  expect(await positionOf(id)).toBe('unconfirmed');
  const account = { complete_coverage: true, grace_days: 1 };
  const path = `${accountsPath}/${await readAccountId(setup.company.test)}`;
  await setup.company.test.put(path, account).expect(200);
  expect(await positionOf(id)).toBe('unconfirmed');
  // It does not start with the closing balance of the day before.
  const { file_id: gap } = await on('2026-11-20', '2026-11-20', 101_00n);
  expect(await positionOf(id)).toBe('unconfirmed');
  await setup.company.test.post(`${statementsPath}/${gap}/void`, { reason: 'wrong' }).expect(200);
  await on('2026-11-20', '2026-11-20');
  expect(await money(id)).toMatchObject({ position: 'completed_without_money', is_open: true });
  const covered = { covered_from: '2026-11-19', covered_to: '2026-11-20' };
  const { body } = await setup.company.test.get(accountsPath).expect(200);
  expect(body).toMatchObject({ data: [covered] });
  expect((await setup.company.test.put(path, account).expect(200)).body).toMatchObject(covered);
  await setup.company.test.put(path, { complete_coverage: true, grace_days: 5 }).expect(200);
  expect(await positionOf(id)).toBe('unconfirmed');
  await setup.company.test.put(path, { complete_coverage: 'yes' }).expect(400);
});

test('the direction of an account is corrected, and never changed by an upload', async () => {
  const id = await completed();
  const file = statementFile([{ ...paid(id), direction: 'debit' }], { from: '2026-11-20' });
  await uploadAndWait(setup.company.test, file);
  expect(await positionOf(id)).toBe('returned_without_credit');
  const path = `${accountsPath}/${await readAccountId(setup.company.test)}`;
  const next = statementFile([], { from: '2026-11-21' });
  const sent = async (content: string) => {
    const { body } = await upload(setup.company.test, content, '?direction=debit').expect(202);
    return readingEnded(setup.company.test, (body as UploadedFile).file_id);
  };
  expect(await sent(next)).toMatchObject({
    state: 'rejected',
    reason: expect.stringContaining('direction credit') as string,
  });
  const corrected = { complete_coverage: false, direction: 'debit' };
  const response = await setup.company.test.put(path, corrected).expect(200);
  expect(response.body).toMatchObject({ direction: 'debit' });
  await until('the entry pays', async () => (await positionOf(id)) === 'matched');
  expect(await sent(statementFile([], { from: '2026-11-22' }))).toMatchObject({ state: 'read' });
  // A request without a direction keeps it.
  expect((await setup.company.test.put(path, { complete_coverage: true }).expect(200)).body).toMatchObject({
    direction: 'debit',
  });
});

test('a statement of a half day covers no day, and does not break the balance of the whole day', async () => {
  const id = await completed({ value_date: '2026-11-19' });
  const date = '2026-11-19';
  const lines = [
    { ...paid(await completed()), date },
    { cents: 5_00n, reference: 'R-2', date },
  ];
  const morning = { from: '2026-11-19T00:00:00', to: '2026-11-19T12:00:00', openingCents: 100_00n };
  await uploadAndWait(setup.company.test, statementFile(lines.slice(0, 1), morning));
  const path = `${accountsPath}/${await readAccountId(setup.company.test)}`;
  const response = await setup.company.test.put(path, { complete_coverage: true, grace_days: 0 }).expect(200);
  expect(response.body).toMatchObject({ covered_from: null, covered_to: null });
  expect(await positionOf(id)).toBe('unconfirmed');
  await uploadAndWait(
    setup.company.test,
    statementFile(lines, { from: '2026-11-19', openingCents: 100_00n }),
  );
  expect(await positionOf(id)).toBe('completed_without_money');
  await setup.company.test.put(path, { complete_coverage: true, grace_days: 1 }).expect(200);
  const next = { from: '2026-11-20', openingCents: 100_00n + amount + 5_00n };
  await uploadAndWait(setup.company.test, statementFile([], next));
  expect(await positionOf(id)).toBe('completed_without_money');
});

describe('entries', () => {
  test('are found by damaged references, and a repaired one is only proposed', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => completed()));
    const [spaced = '', damaged = '', other = ''] = ids;
    const wrong = damaged.slice(0, 9) + (damaged[9] === '7' ? '8' : '7') + damaged.slice(10);
    const neverIssued = generateTransactionId(other.slice(0, 4), new Date());
    const { file_id: fileId } = await uploadAndWait(
      setup.company.test,
      statementFile(
        [
          {
            cents: amount,
            text: `thanks ${spaced.slice(0, 5).toLowerCase()}-${spaced.slice(5)}`,
            reference: 'a-1',
          },
          { cents: amount, text: wrong, reference: 'a-2' },
          { cents: amount, text: `for ${neverIssued}`, reference: 'a-3' },
          { cents: amount, text: 'rent', reference: 'a-4' },
          { cents: 1_00n, text: `${spaced} ${other}`, reference: 'a-5' },
          { cents: amount, id: other, reference: 'a-6', currency: 'EUR' },
          { cents: amount, id: other, reference: 'a-7', status: 'PDNG' },
          {
            cents: 2n * amount,
            reference: 'a-8',
            parts: [
              { cents: amount, id: other },
              { cents: 1n, id: other },
            ],
          },
        ],
        { ...day, closingCents: 1_000_000_00n + 4n * amount + 1_00n + amount + 2n * amount },
      ),
    );
    const entries = await entriesOf(fileId);
    const outcomes = entries.map(({ outcome, reason, allocations: [first] }) =>
      [outcome, reason, first?.confidence, first?.state].join(' ').trim(),
    );
    expect(outcomes.sort()).toEqual([
      'matched  normalized confirmed',
      'not_booked',
      'other_currency',
      'proposed  repaired proposed',
      'sums_differ',
      'unknown no_reference',
      'unknown not_found',
      'unknown several_references',
    ]);
  });

  test('one transfer pays all contributions that the bank completed with its reference', async () => {
    const ids = await Promise.all([
      completed({ bank_reference: 'BATCH-7' }),
      completed({ bank_reference: 'BATCH-7' }),
    ]);
    await uploadAndWait(
      setup.company.test,
      statementFile([{ cents: 2n * amount, id: 'BATCH-7', reference: 'b-1' }], day),
    );
    for (const id of ids) {
      const { position, entries } = await money(id);
      expect(position).toBe('matched');
      expect(entries[0]?.allocations).toContainEqual({
        ...{ transaction_id: id, kind: 'payment', amount: '25.50' },
        ...{ confidence: 'settlement', state: 'confirmed' },
      });
    }
  });

  test('parts replace their batch entry', async () => {
    const ids = await Promise.all([completed(), completed()]);
    const file = statementFile(
      [{ cents: 2n * amount, reference: 'batch', parts: ids.map((id) => ({ cents: amount, id })) }],
      day,
    );
    const { file_id: fileId } = await uploadAndWait(setup.company.test, file);
    expect(await entriesOf(fileId)).toHaveLength(2);
    expect(await Promise.all(ids.map(positionOf))).toEqual(['matched', 'matched']);
  });
});

describe('files that overlap', () => {
  test('change nothing: a partial day, then the full day, then the report of the day', async () => {
    const [one, other] = [await completed(), await completed()];
    const lines = [paid(one), paid(other)];
    await uploadAndWait(
      setup.company.test,
      statementFile([lines[0]!], { from: '2026-11-20T00:00:00', to: '2026-11-20T12:00:00' }),
    );
    await uploadAndWait(setup.company.test, statementFile(lines, day));
    await uploadAndWait(setup.company.test, statementFile(lines, { ...day, kind: '052' }));
    expect([await positionOf(one), await positionOf(other)]).toEqual(['matched', 'matched']);
  });
});

test('a file with values that the database cannot store is accepted', async () => {
  const file = statementFile([
    { cents: 1n },
    { cents: amount, date: '2026-02-31', reference: `${'A'.repeat(139)}\u{1F600}` },
  ]).replace(/>0\.01</g, `>${'9'.repeat(18)}<`);
  expect(await uploadAndWait(setup.company.test, file)).toMatchObject({ entries: 2 });
});

test.each([
  ['days that are not in the calendar', { from: '2026-02-30', to: '2026-02-30' }],
  ['months that do not exist', { from: '2026-99-99', to: '2026-99-99' }],
  ['the year 0', { from: '0000-01-01', to: '0000-01-02' }],
])('an upload whose mapping has %s is refused', async (_what, days) => {
  const mapping = { date: 'Date', amount: 'Amount', texts: ['Text'], ...days };
  const query = `?account=a&mapping=${encodeURIComponent(JSON.stringify(mapping))}`;
  const response = await upload(setup.company.test, 'Date,Amount,Text\n2026-11-20,1.00,a\n', query).expect(
    400,
  );
  expect(response.body).toMatchObject({ code: 'invalid_request', errors: [{ parameter: 'mapping' }] });
  expect(await listed()).toEqual([]);
});

describe('a voided file', () => {
  test('no longer counts, and can be uploaded again', async () => {
    const id = await completed();
    const file = statementFile([paid(id)], day);
    const { file_id: fileId } = await uploadAndWait(setup.company.test, file);
    const voided = await setup.company.test
      .post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' })
      .expect(200);
    expect(voided.body).toMatchObject({ state: 'voided', void_reason: 'wrong', entries: 1 });
    await daysCompared(setup.company.test);
    expect(await positionOf(id)).toBe('unconfirmed');
    await upload(setup.company.test, file).expect(202);
  });
});

test("another company's contribution is treated like one that was never issued", async () => {
  const stranger = await setup.service.addCompany();
  const theirs = await (await createCompletions(setup.service, stranger)).create();
  const neverIssued = generateTransactionId(theirs.slice(0, 4), new Date());
  const { file_id: fileId } = await uploadAndWait(
    setup.company.test,
    statementFile([paid(theirs), paid(neverIssued)], day),
  );
  const entries = await entriesOf(fileId);
  expect(entries.map(({ outcome, reason, allocations }) => [outcome, reason, allocations])).toEqual([
    ['unknown', 'not_found', []],
    ['unknown', 'not_found', []],
  ]);
  await stranger.test.get(`${statementsPath}/${fileId}`).expect(404);
});
