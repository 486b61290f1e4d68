import type { Response } from 'supertest';

import { createMatchingProgressStore } from '../../src/features/statements/matching-progress.store';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { createClient } from '../support/client';
import { pauseComparison } from '../support/comparison';
import { createCompletions } from '../support/completions';
import { sample } from '../support/full-run';
import { laterRules, matchOnlyWithLaterRules } from '../support/matching';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestService } from '../support/service';
import {
  type Line,
  matched,
  statementFile,
  statementsPath,
  upload,
  type UploadedFile,
  uploadAndMatch,
} from '../support/statement-files';
import { type Entry, type Money, readEntries, readMoney, setUpStatements } from '../support/statement-setup';
import { until } from '../support/until';

/** Bank statements: import, matching and positions. Contributions are 25.50 dollars. */
const setup = setUpStatements();

const amount = 25_50n;
const completed = (evidence = {}): Promise<string> => setup.contributions.createCompleted('25.50', evidence);
const money = (id: string): Promise<Money> => readMoney(setup.company.test, id);
const positionOf = async (id: string): Promise<string> => (await money(id)).position;
const entriesOf = (fileId: string, query?: string): Promise<Entry[]> =>
  readEntries(setup.company.test, fileId, query);
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
    expect(first.body).toMatchObject({ format: 'camt.053', entries: 1, problems: [] });
    const again = await upload(setup.company.test, file).expect(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toMatchObject({ file_id: (first.body as { file_id: string }).file_id });
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: unknown[] }).data).toHaveLength(1);
  });

  test('may be a form with the file', async () => {
    const file = statementFile([paid(await completed())], day);
    const response = await setup.company.test
      .post(statementsPath)
      .attach('file', Buffer.from(file), { filename: 'statement.xml', contentType: 'application/xml' })
      .expect(202);
    expect(response.body).toMatchObject({ entries: 1 });
    await setup.company.test.post(statementsPath).field('file', 'text').expect(400);
  });

  test('stores nothing in a dry run', async () => {
    const file = statementFile([paid(await completed())], day);
    const dry = await upload(setup.company.test, file, '?dry_run=1').expect(200);
    expect(dry.body).toMatchObject({
      state: 'checked',
      entries: 1,
      outcomes: { found: 1, no_reference: 0, unreadable: 0 },
      statements: [{ balance: 'balanced' }],
    });
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: unknown[] }).data).toEqual([]);
  });

  test('says in a dry run that no line can be read', async () => {
    const mapping = '{"date":"Date","amount":"Amount","texts":["Text"]}';
    const csv = 'Date,Amount,Text\n20/11/2026,25.00,a gift\n21/11/2026,26.00,a gift\n';
    const query = `?dry_run=1&account=a&mapping=${encodeURIComponent(mapping)}`;
    const { body } = await upload(setup.company.test, csv, query).expect(200);
    expect(body).toMatchObject({ state: 'checked', entries: 2, outcomes: { found: 0, unreadable: 2 } });
  });

  test('that cannot be read is refused with the reason, and nothing is stored', async () => {
    const file = statementFile([paid(await completed())], day);
    const cut = await upload(setup.company.test, file.slice(0, -30)).expect(422);
    expect(cut.body).toMatchObject({ code: 'statement_unreadable' });
    const bomb = await upload(
      setup.company.test,
      file.replace('<Document', '<!DOCTYPE a [<!ENTITY a "b">]><Document'),
    );
    expect(bomb.body).toMatchObject({ code: 'statement_unreadable' });
    await setup.company.test
      .post(statementsPath)
      .set('Content-Type', 'image/png')
      .send(Buffer.from('x'))
      .expect(415);
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: unknown[] }).data).toEqual([]);
  });

  test('stores no account number and no text', async () => {
    const id = await completed();
    await uploadAndMatch(
      setup.company.test,
      statementFile([paid(id, { text: 'Jane Canary-Name gave 12345678901234' })], {
        ...day,
        account: 'CANARYACCOUNT9999',
      }),
    );
    for (const table of [
      'statement_accounts',
      'statement_files',
      'statements',
      'entry_sources',
      'statement_entries',
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
    await uploadAndMatch(
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
    await uploadAndMatch(
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
    await uploadAndMatch(
      setup.company.test,
      statementFile([paid(id), returnedPart(id, 10_00n, 'RT-1')], day),
    );
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
    await uploadAndMatch(setup.company.test, statementFile([paid(id), ...stated], day));
    expect(await money(id)).toMatchObject({ position: 'partially_returned', net_amount: '7.50' });
  });

  test('money counts only if the totals of a statement are right', async () => {
    const id = await completed();
    const lines = [paid(id)];
    const wrong = await uploadAndMatch(
      setup.company.test,
      statementFile(lines, { ...day, closingCents: 1n }),
    );
    expect(wrong.statements[0]?.balance).toBe('unbalanced');
    expect((await money(id)).entries[0]?.allocations).toMatchObject([{ state: 'proposed' }]);
    expect(await positionOf(id)).toBe('unconfirmed');
    await uploadAndMatch(setup.company.test, statementFile(lines, day));
    expect(await positionOf(id)).toBe('matched');
  });
});

test('money is missing if complete statements cover its due day without a gap', async () => {
  const id = await completed({ value_date: '2026-11-19' });
  const on = (from: string, to: string, balanceCents = 100_00n) =>
    uploadAndMatch(setup.company.test, statementFile([], { from, to, openingCents: balanceCents }));
  const { statements } = await on('2026-11-19', '2026-11-19');
  expect(await positionOf(id)).toBe('unconfirmed');
  const account = { complete_coverage: true, grace_days: 1 };
  const path = `/company/integration/statement-accounts/${statements[0]!.account_id}`;
  await setup.company.test.put(path, account).expect(200);
  expect(await positionOf(id)).toBe('unconfirmed');
  // It does not start with the closing balance of the day before.
  const { file_id: gap } = await on('2026-11-20', '2026-11-20', 101_00n);
  expect(await positionOf(id)).toBe('unconfirmed');
  await setup.company.test.post(`${statementsPath}/${gap}/void`, { reason: 'wrong' }).expect(200);
  await on('2026-11-20', '2026-11-20');
  expect(await money(id)).toMatchObject({ position: 'completed_without_money', is_open: true });
  const covered = { covered_from: '2026-11-19', covered_to: '2026-11-20' };
  const { body } = await setup.company.test.get('/company/integration/statement-accounts').expect(200);
  expect(body).toMatchObject({ data: [covered] });
  expect((await setup.company.test.put(path, account).expect(200)).body).toMatchObject(covered);
  await setup.company.test.put(path, { complete_coverage: true, grace_days: 5 }).expect(200);
  expect(await positionOf(id)).toBe('unconfirmed');
  await setup.company.test.put(path, { complete_coverage: 'yes' }).expect(400);
});

test('the direction of an account is corrected, and never changed by an upload', async () => {
  const id = await completed();
  const file = statementFile([{ ...paid(id), direction: 'debit' }], { from: '2026-11-20' });
  const { statements } = await uploadAndMatch(setup.company.test, file);
  expect(await positionOf(id)).toBe('returned_without_credit');
  const path = `/company/integration/statement-accounts/${statements[0]!.account_id}`;
  const next = statementFile([], { from: '2026-11-21' });
  const refused = await upload(setup.company.test, next, '?direction=debit').expect(409);
  expect(refused.body).toMatchObject({ code: 'account_direction_differs' });
  const corrected = { complete_coverage: false, direction: 'debit' };
  const response = await setup.company.test.put(path, corrected).expect(200);
  expect(response.body).toMatchObject({ direction: 'debit' });
  await until('the entry pays', async () => (await positionOf(id)) === 'matched');
  await upload(setup.company.test, next, '?direction=debit').expect(202);
  const list: Response = await setup.company.test.get(statementsPath).expect(200);
  expect((list.body as { data: unknown[] }).data).toHaveLength(2);
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
  const { statements } = await uploadAndMatch(setup.company.test, statementFile(lines.slice(0, 1), morning));
  const path = `/company/integration/statement-accounts/${statements[0]!.account_id}`;
  const response = await setup.company.test.put(path, { complete_coverage: true, grace_days: 0 }).expect(200);
  expect(response.body).toMatchObject({ covered_from: null, covered_to: null });
  expect(await positionOf(id)).toBe('unconfirmed');
  await uploadAndMatch(
    setup.company.test,
    statementFile(lines, { from: '2026-11-19', openingCents: 100_00n }),
  );
  expect(await positionOf(id)).toBe('completed_without_money');
  await setup.company.test.put(path, { complete_coverage: true, grace_days: 1 }).expect(200);
  const next = { from: '2026-11-20', openingCents: 100_00n + amount + 5_00n };
  await uploadAndMatch(setup.company.test, statementFile([], next));
  expect(await positionOf(id)).toBe('completed_without_money');
});

describe('entries', () => {
  test('are found by damaged references, and a repaired one is only proposed', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => completed()));
    const [spaced = '', damaged = '', other = ''] = ids;
    const wrong = damaged.slice(0, 9) + (damaged[9] === '7' ? '8' : '7') + damaged.slice(10);
    const neverIssued = generateTransactionId(other.slice(0, 4), new Date());
    const { file_id: fileId } = await uploadAndMatch(
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
    expect(await entriesOf(fileId, 'outcome=proposed')).toHaveLength(1);
    expect(await entriesOf(fileId, 'confidence=normalized')).toHaveLength(1);
  });

  test('one transfer pays all contributions that the bank completed with its reference', async () => {
    const ids = await Promise.all([
      completed({ bank_reference: 'BATCH-7' }),
      completed({ bank_reference: 'BATCH-7' }),
    ]);
    await uploadAndMatch(
      setup.company.test,
      statementFile([{ cents: 2n * amount, id: 'BATCH-7', reference: 'b-1' }], day),
    );
    for (const id of ids) {
      expect(await money(id)).toMatchObject({
        position: 'matched',
        entries: [{ allocations: [{ confidence: 'settlement', amount: '25.50' }] }],
      });
    }
  });

  test('parts replace their batch entry', async () => {
    const ids = await Promise.all([completed(), completed()]);
    const file = statementFile(
      [{ cents: 2n * amount, reference: 'batch', parts: ids.map((id) => ({ cents: amount, id })) }],
      day,
    );
    const { entries } = await uploadAndMatch(setup.company.test, file);
    expect(entries).toBe(2);
    expect(await Promise.all(ids.map(positionOf))).toEqual(['matched', 'matched']);
  });
});

describe('files that overlap', () => {
  test('change nothing: a partial day, then the full day, then the report of the day', async () => {
    const [one, other] = [await completed(), await completed()];
    const lines = [paid(one), paid(other)];
    await uploadAndMatch(
      setup.company.test,
      statementFile([lines[0]!], { from: '2026-11-20T00:00:00', to: '2026-11-20T12:00:00' }),
    );
    await uploadAndMatch(setup.company.test, statementFile(lines, day));
    await uploadAndMatch(setup.company.test, statementFile(lines, { ...day, kind: '052' }));
    expect([await positionOf(one), await positionOf(other)]).toEqual(['matched', 'matched']);
  });

  test('two equal lines without a reference both count, in one file or in two disjoint files', async () => {
    const [one, other] = [await completed(), await completed()];
    const equal = (id: string): Line => ({ cents: amount, id });
    // Each statement starts with the closing balance of the one before.
    const numbered = (sequence: number, linesBefore: bigint) => ({
      ...day,
      ...{ sequence, openingCents: 100_00n + linesBefore * amount },
    });
    await uploadAndMatch(setup.company.test, statementFile([equal(one), equal(one)], numbered(1, 0n)));
    expect(await positionOf(one)).toBe('duplicate');
    await uploadAndMatch(setup.company.test, statementFile([equal(other)], numbered(2, 2n)));
    expect(await positionOf(other)).toBe('matched');
    await uploadAndMatch(setup.company.test, statementFile([equal(other)], numbered(3, 3n)));
    expect(await positionOf(other)).toBe('duplicate');
    // The whole day has both lines of the other one.
    await uploadAndMatch(
      setup.company.test,
      statementFile([equal(one), equal(one), equal(other), equal(other)], day),
    );
    expect([await positionOf(one), await positionOf(other)]).toEqual(['duplicate', 'duplicate']);
  });

  test('report further equal lines as possible repeats if they cannot be compared', async () => {
    const id = await completed();
    const equal = { cents: amount, id };
    await uploadAndMatch(setup.company.test, statementFile([equal]));
    const { file_id: fileId } = await uploadAndMatch(
      setup.company.test,
      statementFile([equal, { cents: 1n }]),
    );
    expect(await positionOf(id)).toBe('matched');
    expect(new Set((await entriesOf(fileId)).map(({ reason }) => reason))).toEqual(
      new Set([null, 'no_reference', 'possible_repeat']),
    );
  });
});

test('a statement that does not continue the previous one is reported, in any order of uploads', async () => {
  const on = (from: string, openingCents: bigint) =>
    statementFile([{ cents: 5_00n, reference: `R-${from}`, date: from }], { from, openingCents });
  const third = await uploadAndMatch(setup.company.test, on('2026-11-24', 110_00n));
  const first = await uploadAndMatch(setup.company.test, on('2026-11-20', 100_00n));
  const continuity = async ({ file_id: fileId }: { file_id: string }): Promise<string | undefined> => {
    const response: Response = await setup.company.test.get(`${statementsPath}/${fileId}`).expect(200);
    return (response.body as UploadedFile).statements[0]?.continuity;
  };
  expect([await continuity(first), await continuity(third)]).toEqual(['first', 'broken']);
  const second = await uploadAndMatch(setup.company.test, on('2026-11-23', 105_00n));
  expect([await continuity(second), await continuity(third)]).toEqual(['continuous', 'continuous']);
});

test('a numbered statement of a day that does not continue the previous one is reported, and covers no day', async () => {
  const id = await completed({ value_date: '2026-11-20' });
  const numbered = async (sequence: number, openingCents: bigint): Promise<UploadedFile> => {
    const { file_id: fileId } = await uploadAndMatch(
      setup.company.test,
      statementFile([{ cents: 5_00n, reference: `R-${sequence}` }], { ...day, sequence, openingCents }),
    );
    const response: Response = await setup.company.test.get(`${statementsPath}/${fileId}`).expect(200);
    return response.body as UploadedFile;
  };
  const { statements: first } = await numbered(1, 100_00n);
  const { statements: third } = await numbered(3, 110_00n);
  const account = `/company/integration/statement-accounts/${first[0]!.account_id}`;
  await setup.company.test.put(account, { complete_coverage: true, grace_days: 0 }).expect(200);
  expect(third).toMatchObject([{ continuity: 'broken' }]);
  expect(await positionOf(id)).toBe('unconfirmed');
  expect((await numbered(2, 105_00n)).statements).toMatchObject([{ continuity: 'continuous' }]);
  // The bank writes several a day, so another one may follow.
  expect(await positionOf(id)).toBe('unconfirmed');
  const next = { from: '2026-11-23', sequence: 4, openingCents: 115_00n };
  await uploadAndMatch(setup.company.test, statementFile([], next));
  expect(await positionOf(id)).toBe('completed_without_money');
});

test('a result is not stored if its file was voided meanwhile', async () => {
  const id = await completed();
  const { file_id: fileId } = await uploadAndMatch(setup.company.test, statementFile([paid(id)], day));
  const { resume } = await pauseComparison(setup.service, fileId);
  expect(await resume()).toBe(true);
  await setup.company.test.post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' }).expect(200);
  expect(await resume()).toBe(false);
});

describe('a result of a process that was paused', () => {
  const pausedAt = async (content: string) => {
    const { file_id: fileId } = await uploadAndMatch(setup.company.test, content);
    return pauseComparison(setup.service, fileId);
  };
  const bai2 = (id: string): string =>
    `01,BANK,CUST,261120,0100,1,80,1,2/\n02,CUST,BANK,1,261120,2359,USD,2/\n03,ACCOUNT-NUMBER-0001,USD,,,,/
16,165,2550,Z,B-1,,${id}\n49,2550,3/\n98,2550,1,5/\n99,2550,1,7/\n`;

  test('is not stored after another format starts or stops covering its lines', async () => {
    const id = await completed();
    const { resume } = await pausedAt(bai2(id));
    const covering = statementFile([paid(id)], day);
    const { file_id: coveringId } = await uploadAndMatch(setup.company.test, covering);
    await until('both are matched', async () => (await positionOf(id)) === 'matched');
    expect(await resume()).toBe(false);
    expect(await money(id)).toMatchObject({ position: 'matched', gross_amount: '25.50' });

    const other = await completed();
    const late = await pausedAt(bai2(other));
    await setup.company.test.post(`${statementsPath}/${coveringId}/void`, { reason: 'wrong' }).expect(200);
    expect(await late.resume()).toBe(false);
  });

  test('is not stored after a change of the direction of its account', async () => {
    const { accountId, resume } = await pausedAt(statementFile([paid(await completed())], day));
    const account = `/company/integration/statement-accounts/${accountId}`;
    const turned = { complete_coverage: false, grace_days: 3, direction: 'debit' };
    await setup.company.test.put(account, turned).expect(200);
    expect(await resume()).toBe(false);
  });

  test('is stored if only a file of another account came', async () => {
    const { resume } = await pausedAt(statementFile([paid(await completed())], day));
    await uploadAndMatch(setup.company.test, statementFile([], { ...day, account: 'ACCOUNT-NUMBER-0002' }));
    expect(await resume()).toBe(true);
  });
});

test('a file that is voided while a process matches it is matched from its start', async () => {
  // Its background task looks for files only after an upload.
  const idle = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 3_600_000 });
  try {
    const { test: client } = await idle.addCompany();
    const content = statementFile([{ cents: amount, reference: 'R-1' }], day);
    const { file_id: fileId } = await uploadAndMatch(client, content);
    const { admin } = idle.database;
    await matchOnlyWithLaterRules(idle);
    // Resets the file to its state after the upload, without matched entries.
    const { rows } = await admin.query<{ environment_id: number }>(
      `UPDATE statement_files SET state = 'stored', matched_count = 0, claimed_until = NULL WHERE file_id = $1
       RETURNING environment_id`,
      [fileId],
    );
    const file = { environmentId: rows[0]!.environment_id, fileId };
    const store = createMatchingProgressStore(idle.container.database, laterRules);
    expect(await store.claim(file)).toBe(0);
    await admin.query(
      `UPDATE statement_files SET voided_at = now(), void_reason = 'wrong', matched_count = 0, claimed_until = NULL
        WHERE file_id = $1`,
      [fileId],
    );
    expect(await store.advance(file, { before: 0, now: 1, isDone: true, isEndOfTurn: false })).toBe(false);
    expect(await store.claim(file)).toBe(0);
  } finally {
    await idle.stop();
  }
});

test('a file with values that the database cannot store is accepted', async () => {
  const file = statementFile([
    { cents: 1n },
    { cents: amount, date: '2026-02-31', reference: `${'A'.repeat(139)}\u{1F600}` },
  ]).replace(/>0\.01</g, `>${'9'.repeat(18)}<`);
  expect(await uploadAndMatch(setup.company.test, file)).toMatchObject({ entries: 2 });
});

describe('the limit of 60 files per hour', () => {
  test('says when another file may be stored', async () => {
    await uploadAndMatch(setup.company.test, statementFile([{ cents: 1n, reference: 'R-1' }], day));
    await setup.service.database.admin.query(
      `INSERT INTO statement_files (environment_id, file_id, sha256, format, entry_count, received_at)
       SELECT f.environment_id, gen_random_uuid(), decode(md5(n::text), 'hex'), 'bai2', 0, now() - n * interval '30 seconds'
         FROM statement_files f, generate_series(1, 59) AS n WHERE f.file_id = (
           SELECT l.file_id FROM statement_files l ORDER BY l.received_at DESC LIMIT 1)`,
    );
    const refused = await upload(
      setup.company.test,
      statementFile([{ cents: 2n, reference: 'R-2' }], day),
    ).expect(429);
    // The oldest is 29.5 minutes old.
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(1_500);
    expect(seconds).toBeLessThanOrEqual(1_830);
  });

  test('applies to dry runs and unreadable files together', async () => {
    const file = statementFile([{ cents: 1n, reference: 'R-1' }], day);
    for (let count = 0; count < 30; count += 1) {
      await upload(setup.company.test, file, '?dry_run=1').expect(200);
      await upload(setup.company.test, 'not a statement').expect(422);
    }
    const refused = await upload(setup.company.test, file, '?dry_run=1').expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    await upload(setup.company.test, 'not a statement').expect(429);
    const other = await setup.service.addCompany();
    await upload(other.test, file, '?dry_run=1').expect(200);
  });
});

describe('an import that is interrupted', () => {
  const statements = [
    'create_statement_file',
    'create_statement_account',
    'add_statements',
    'add_entry_sources',
    'mark_statement_file_stored',
    'claim_statement_file',
    'next_entry_classes',
    'put_statement_entries',
    'finish_statement_file',
  ];
  let proxy: PostgresProxy;
  let interrupted: TestService;
  beforeAll(async () => {
    proxy = await startPostgresProxy(setup.service.database.url);
    const settings = { SANDBOX_REQUEST_LOG: 'off' };
    interrupted = await startService({ database: setup.service.database, databaseUrl: proxy.url, settings });
  });
  afterAll(async () => {
    await interrupted.stop();
    await proxy.stop();
  });

  test.each(
    sample(
      statements.flatMap((name) => (['request', 'reply'] as const).map((moment) => [name, moment] as const)),
      1,
    ),
  )('at %s (%s) is finished by a repeat, and counts once', async (name, moment) => {
    const [one, other] = [await completed(), await completed()];
    const file = statementFile([paid(one), { cents: amount, id: other }], day);
    const cut = createClient(interrupted.server, setup.company.test);
    proxy.cutAt(moment, name);
    await upload(cut, file);
    // The lease of the stopped process has expired.
    await until('the file is matched', async () => {
      await setup.service.database.admin.query(
        'UPDATE statement_files SET claimed_until = NULL WHERE claimed_until > now()',
      );
      const { body } = (await upload(setup.company.test, file)) as { body: UploadedFile };
      return body.state === 'matched';
    });
    proxy.restore();
    expect(await money(one)).toMatchObject({ position: 'matched', gross_amount: '25.50' });
    expect(await money(other)).toMatchObject({ position: 'matched', gross_amount: '25.50' });
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: unknown[] }).data).toHaveLength(1);
  });

  test.each([
    ['days that are not in the calendar', { from: '2026-02-30', to: '2026-02-30' }],
    ['months that do not exist', { from: '2026-99-99', to: '2026-99-99' }],
    ['the year 0', { from: '0000-01-01', to: '0000-01-02' }],
  ])('is rejected before it is stored if its mapping has %s', async (_what, days) => {
    const mapping = { date: 'Date', amount: 'Amount', texts: ['Text'], ...days };
    const query = `?account=a&mapping=${encodeURIComponent(JSON.stringify(mapping))}`;
    const response = await upload(setup.company.test, 'Date,Amount,Text\n2026-11-20,1.00,a\n', query).expect(
      400,
    );
    expect(response.body).toMatchObject({ code: 'invalid_request', errors: [{ parameter: 'mapping' }] });
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: unknown[] }).data).toEqual([]);
  });

  test('starts again when it is repeated for another account', async () => {
    const file = 'Date,Amount,Text\n2026-11-20,25.50,a\n2026-11-20,25.50,a\n';
    const mapping = encodeURIComponent('{"date":"Date","amount":"Amount","texts":["Text"]}');
    const cut = createClient(interrupted.server, setup.company.test);
    proxy.cutAt('reply', 'add_entry_sources');
    await upload(cut, file, `?account=wrong&mapping=${mapping}`);
    proxy.restore();
    const other = await uploadAndMatch(setup.company.test, file, `?account=right&mapping=${mapping}`);
    const { rows } = await setup.service.database.admin.query<{ accounts: string; lines: string }>(
      `SELECT count(DISTINCT s.class_key) AS accounts, count(*) AS lines FROM entry_sources s
         JOIN statements t ON t.environment_id = s.environment_id AND t.file_id = s.file_id
         JOIN statement_entries e ON e.environment_id = s.environment_id AND e.class_key = s.class_key
          AND e.account_id = t.account_id AND e.occurrence = s.occurrence
        WHERE s.file_id = $1`,
      [other.file_id],
    );
    expect(rows).toEqual([{ accounts: '1', lines: '2' }]);
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: UploadedFile[] }).data.map(({ state }) => state).sort()).toEqual([
      'matched',
      'voided',
    ]);
  });

  test('is stored once if it is sent several times at once, even to two processes', async () => {
    const id = await completed();
    const file = statementFile([paid(id)], day);
    const clients = [setup.company.test, createClient(interrupted.server, setup.company.test)];
    const responses = await Promise.all(
      [...clients, ...clients, ...clients].map((client) => upload(client, file)),
    );
    const outcomes = new Set(responses.map(({ status }) => status));
    // Each process reads one file of an environment at a time.
    expect([...outcomes].filter((status) => ![200, 202, 429].includes(status))).toEqual([]);
    const { file_id: fileId } = await uploadAndMatch(setup.company.test, file);
    const list: Response = await setup.company.test.get(statementsPath).expect(200);
    expect((list.body as { data: UploadedFile[] }).data.map((one) => one.file_id)).toEqual([fileId]);
    expect(await money(id)).toMatchObject({ position: 'matched', gross_amount: '25.50' });
  });
});

describe('a voided file', () => {
  test('no longer counts, and can be uploaded again', async () => {
    const id = await completed();
    const file = statementFile([paid(id)], day);
    const { file_id: fileId } = await uploadAndMatch(setup.company.test, file);
    const voided = await setup.company.test
      .post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' })
      .expect(200);
    expect(voided.body).toMatchObject({
      state: 'voided',
      void_reason: 'wrong',
      entries: 1,
      matched_entries: 0,
    });
    await matched(setup.company.test, fileId);
    expect(await positionOf(id)).toBe('unconfirmed');
    await upload(setup.company.test, file).expect(202);
  });
});

test("another company's contribution is treated like one that was never issued", async () => {
  const stranger = await setup.service.addCompany();
  const theirs = await (await createCompletions(setup.service, stranger)).create();
  const neverIssued = generateTransactionId(theirs.slice(0, 4), new Date());
  const { file_id: fileId } = await uploadAndMatch(
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
