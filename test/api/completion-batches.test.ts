import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { createBatchSlots } from '../../src/core/contributions/batch-slots';
import { mostLines } from '../../src/core/contributions/complete-contributions.contract';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { addCopies, completionsPath, type FileResponse, ndjson, sendFile } from '../support/completion-files';
import { type Completions, createCompletions } from '../support/completions';
import { longTest, randomCases, takesAllRows } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';

/** Completion files. */
let service: TestService;
let company: TestCompany;
let contributions: Completions;

const send = (client: Client, body: string, options?: { type?: string; query?: string }) =>
  sendFile(`http://127.0.0.1:${service.port}`, client, body, options);
const csv = { type: 'text/csv' };

beforeAll(async () => {
  service = await startService({
    settings: {
      SANDBOX_REQUEST_LOG: 'off',
      DATABASE_LOCK_TIMEOUT_MS: '500',
      DATABASE_STATEMENT_TIMEOUT_MS: '2000',
    },
  });
});
beforeEach(async () => {
  company = await service.addCompany();
  contributions = await createCompletions(service, company);
});
afterAll(() => service.stop());

const createMany = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => contributions.create()));

const outcomesOf = ({ outcomes }: FileResponse): unknown[] =>
  outcomes.map(({ line, outcome, code }) => [line, outcome, code]);

describe('a file', () => {
  test('completes each line in order, and ends with a summary', async () => {
    const ids = await createMany(3);
    const file = ndjson([
      { transaction_id: ids[1], amount: '25.50', bank_reference: 'FT-1', value_date: '2026-11-20' },
      { transaction_id: ids[0], amount: 25.5 },
      { transaction_id: ids[1], amount: '25.50', bank_reference: 'FT-1' },
      { transaction_id: ids[2], amount: '25.49' },
    ]);
    const response = await send(company.test, file);
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson');
    expect(outcomesOf(response)).toEqual([
      [1, 'completed', null],
      [2, 'completed', null],
      [3, 'replayed', null],
      [4, 'refused', 'amount_mismatch'],
    ]);
    expect(response.outcomes.map((line) => line.transaction_id)).toEqual([ids[1], ids[0], ids[1], ids[2]]);
    expect(response.summary).toEqual({
      lines: 4,
      completed: 2,
      replayed: 1,
      refused: 1,
      unknown: 0,
      sha256: hash('sha256', file, 'hex'),
    });
    expect(await contributions.row(ids[1]!)).toMatchObject({
      status: 'completed',
      bank_reference: 'FT-1',
      value_date: '2026-11-20',
    });
    expect(await contributions.row(ids[2]!)).toMatchObject({ status: 'pending' });
  });

  test('may be CSV with columns in any order, quoted cells, a byte order mark and CRLF', async () => {
    const ids = await createMany(3);
    const file = [
      '\uFEFFbank_reference,amount,transaction_id,currency,value_date',
      `"FT ""1"", a",25.50,${ids[0]!.toLowerCase()},,2026-11-20`,
      '',
      `FT-2,25.50,"${ids[1]}",USD,`,
      `FT-3,25.50,${ids[2]}`,
      `F"T"-3,25.50,${ids[2]},,`,
      `FT-3,25.50,${ids[2]},,2026-11-20`,
    ].join('\r\n');
    const response = await send(company.test, file, csv);
    expect(outcomesOf(response)).toEqual([
      [2, 'completed', null],
      [4, 'completed', null],
      [5, 'refused', 'malformed_body'],
      [6, 'refused', 'malformed_body'],
      [7, 'completed', null],
    ]);
    expect(await contributions.row(ids[0]!)).toMatchObject({ bank_reference: 'FT "1", a' });
    expect(await contributions.row(ids[1]!)).toMatchObject({ bank_reference: 'FT-2', value_date: null });
  });

  test('is refused as CSV with a line break inside a cell, whose text could add a completion', async () => {
    const ids = await createMany(2);
    const file = `transaction_id,amount,bank_reference\n${ids[0]},25.50,"invoice 7\n${ids[1]},25.50,x\nend"\n`;
    const response = await company.test
      .raw('post', completionsPath)
      .set('Content-Type', 'text/csv')
      .send(file)
      .expect(400);
    expect(response.body).toMatchObject({
      code: 'malformed_body',
      detail:
        'Line 2 has an odd number of quotation marks. A cell cannot contain a line break. No changes were made.',
    });
    for (const id of ids) expect(await contributions.row(id)).toMatchObject({ status: 'pending' });
  });

  test('refuses lines with another status than completed, and accepts that one', async () => {
    const ids = await createMany(3);
    const lines = ['failed', null, 'completed'].map((status, at) =>
      JSON.stringify({ transaction_id: ids[at], amount: '25.50', status }),
    );
    const rows = [`${ids[0]},25.50,failed`, `${ids[2]},25.50,completed`, `${ids[1]},25.50,`];
    expect(outcomesOf(await send(company.test, lines.join('\n')))).toEqual([
      [1, 'refused', 'invalid_request'],
      [2, 'refused', 'invalid_request'],
      [3, 'completed', null],
    ]);
    const response = await send(company.test, ['transaction_id,amount,status', ...rows].join('\n'), csv);
    expect(outcomesOf(response)).toEqual([
      [2, 'refused', 'invalid_request'],
      [3, 'replayed', null],
      [4, 'completed', null],
    ]);
  });

  test('continues after invalid lines, and reports the error of each', async () => {
    const [id] = await createMany(1);
    const neverIssued = generateTransactionId(id!.slice(0, 4), new Date());
    const lines = [
      '{',
      '[]',
      'null',
      `{"transaction_id":"${id}","amount":"25.50","amount":"25.50"}`,
      `{"transaction_id":"${id}"}`,
      `{"transaction_id":7,"amount":"-1","value_date":"2026-02-30"}`,
      `{"transaction_id":"${id}","amount":"25.50","note":"${'a'.repeat(1_024)}"}`,
      `{"transaction_id":"${id!.slice(0, -1)}","amount":"25.50"}`,
      `{"transaction_id":"${neverIssued}","amount":"25.50"}`,
      `{"transaction_id":"${id}","amount":"25.50","bank_reference":"${'é'.repeat(141)}"}`,
      `{"transaction_id":"${id}","amount":"25.50","bank_reference":"FT-1"}`,
    ];
    const response = await send(company.test, lines.join('\n'));
    expect(outcomesOf(response)).toEqual([
      [1, 'refused', 'malformed_body'],
      [2, 'refused', 'malformed_body'],
      [3, 'refused', 'malformed_body'],
      [4, 'refused', 'invalid_request'],
      [5, 'refused', 'invalid_request'],
      [6, 'refused', 'invalid_request'],
      [7, 'refused', 'malformed_body'],
      [8, 'refused', 'transaction_not_found'],
      [9, 'refused', 'transaction_not_found'],
      [10, 'refused', 'invalid_request'],
      [11, 'completed', null],
    ]);
    expect(response.outcomes[5]?.errors?.map(({ pointer }) => pointer)).toEqual([
      '/transaction_id',
      '/amount',
      '/value_date',
    ]);
    expect(response.outcomes[6]?.detail).toBe('The line exceeds 1024 bytes.');
    expect(response.summary).toMatchObject({ lines: 11, completed: 1, replayed: 0, refused: 10 });
  });

  test('completes in the order of its lines, whatever their projects and users', async () => {
    const projectIds = [await addProject(service.database.admin), await addProject(service.database.admin)];
    const ids: string[] = [];
    for (let line = 0; line < 12; line += 1) {
      const body = {
        project_id: projectIds[line % 2],
        amount: '25.50',
        user_hash: `ordered-${12 - (line % 5)}`,
      };
      const response = await company.test.put('/company/integration/contributions/create', body).expect(201);
      ids.push((response.body as { transaction_id: string }).transaction_id);
    }
    const sent = [...ids.slice(6).reverse(), ...ids.slice(0, 6)];
    await send(company.test, ndjson(sent.map((id) => ({ transaction_id: id, amount: '25.50' }))));
    const { rows } = await service.database.admin.query<{ transaction_id: string }>(
      'SELECT transaction_id FROM transactions WHERE transaction_id = ANY ($1) ORDER BY completed_at',
      [ids],
    );
    expect(rows.map(({ transaction_id: id }) => id)).toEqual(sent);
  });

  test('a dry run reports the same outcomes and changes nothing', async () => {
    const ids = await createMany(2);
    const file = ndjson([
      { transaction_id: ids[0], amount: '25.50' },
      { transaction_id: ids[0], amount: '25.50' },
      { transaction_id: ids[1], amount: '1.00' },
    ]);
    const [row, dry] = [
      await contributions.row(ids[0]!),
      await send(company.test, file, { query: '?dry_run=1' }),
    ];
    expect(await contributions.row(ids[0]!)).toEqual(row);
    expect(await contributions.events(ids[0]!)).toEqual([]);
    expect(await contributions.events(ids[1]!)).toEqual([]);
    const real = await send(company.test, file);
    expect(real.outcomes).toEqual(dry.outcomes);
    expect(real.summary).toEqual(dry.summary);
  });

  test('with more contributions than one set completes all of them', async () => {
    const ids = await addCopies(service.database.admin, await contributions.create(), 1_234);
    const response = await send(
      company.test,
      ndjson(ids.map((id) => ({ transaction_id: id, amount: '25.50' }))),
    );
    expect(response.summary).toMatchObject({ lines: ids.length, completed: ids.length });
    expect(response.outcomes.map((line) => line.transaction_id)).toEqual(ids);
  });
});

test('a file with several objects in one line is rejected, and the detail says how to write lines', async () => {
  const [one, other] = await createMany(2);
  const object = (id: string | undefined): string => `{"transaction_id":"${id}","amount":"25.50"}`;
  const { outcomes } = await send(company.test, object(one) + object(other));
  expect(outcomes).toMatchObject([
    {
      outcome: 'refused',
      code: 'malformed_body',
      detail: 'The line is not valid JSON in UTF-8. Send one object per line.',
    },
  ]);
});

describe('a file that is rejected as a whole changes nothing', () => {
  test.each<[string, string, { type?: string; query?: string }, number, string]>([
    ['an empty file', '', {}, 400, 'malformed_body'],
    ['empty lines', '\n\r\n\n', {}, 400, 'malformed_body'],
    ['too many lines', '\n'.repeat(mostLines + 1), {}, 413, 'body_too_large'],
    ['JSON', '{}', { type: 'application/json' }, 415, 'unsupported_media_type'],
    ['UTF-16', '{}', { type: 'application/x-ndjson; charset=utf-16' }, 415, 'unsupported_media_type'],
    ['CSV without a header', 'K7Q20CR5M3V9XHG,25.00\n', csv, 400, 'malformed_body'],
    ['CSV with semicolons', 'transaction_id;amount\n', csv, 400, 'malformed_body'],
    ['a column twice', 'transaction_id,amount,amount\n', csv, 400, 'malformed_body'],
    ['an unknown column', 'transaction_id,amount,note\n', csv, 400, 'malformed_body'],
    ['a column without a name', 'transaction_id,amount,\n', csv, 400, 'malformed_body'],
    ['an unknown parameter', '{}', { query: '?dryrun=1' }, 400, 'invalid_request'],
  ])('%s', async (_what, body, options, status, code) => {
    expect(await send(company.test, body, options)).toMatchObject({ status, code });
  });

  test('a misspelt column, which the error names', async () => {
    const [id] = await createMany(1);
    const response = await company.test
      .raw('post', completionsPath)
      .set('Content-Type', 'text/csv')
      .send(`transaction_id,amount,bank_refrence\n${id},25.50,FT-1\n`)
      .expect(400);
    expect(response.body).toMatchObject({
      code: 'malformed_body',
      detail:
        'The first line names an unknown column: "bank_refrence". Did you mean bank_reference? No changes were made.',
    });
    expect(await contributions.row(id!)).toMatchObject({ status: 'pending' });
  });

  test('a pair without the scope', async () => {
    const reader = await service.addPair(company, 'test', ['contributions:read']);
    expect(await send(reader, '{}')).toMatchObject({ status: 403, code: 'scope_missing' });
  });
});

// The property: a file of N lines has the same effects as N single calls.

interface Template {
  user: number;
  project: number;
  before: 'pending' | 'completed' | 'by another';
}
interface Line {
  /** The number of a contribution. Other numbers stand for an unknown or mistyped id. */
  at: number;
  amount: string;
  bank_reference?: string | undefined;
  value_date?: string | undefined;
}

const template = fc.record<Template>({
  user: fc.nat(1),
  project: fc.nat(1),
  before: fc.constantFrom('pending', 'pending', 'pending', 'completed', 'by another'),
});
const line = fc.record<Line>({
  at: fc.integer({ min: -2, max: 5 }),
  amount: fc.constantFrom('25.50', '25.50', '25.50', '25.50', '25.49', 'x'),
  bank_reference: fc.constantFrom(undefined, 'FT-1', 'FT-2', '', 'a\u0000b'),
  value_date: fc.constantFrom(undefined, '2026-11-20', '2026-11-21', '2026-13-01'),
});

interface Twin {
  company: TestCompany;
  ids: string[];
}

describe('N lines and N single calls', () => {
  let projects: number[];
  let bank: TestCompany;
  let other: TestCompany;
  let count = 0;

  beforeAll(async () => {
    projects = [await addProject(service.database.admin), await addProject(service.database.admin)];
    bank = await service.addCompany();
    other = await service.addCompany();
  });

  async function build(templates: readonly Template[]): Promise<Twin> {
    const twin = await service.addCompany();
    for (const { name } of [bank, other]) await service.companies.linkBank('test', twin.name, name);
    const ids: string[] = [];
    for (const { user, project, before } of templates) {
      const { body } = await twin.test
        .put('/company/integration/contributions/create', {
          project_id: projects[project],
          amount: '25.50',
          user_hash: `user-${user}`,
        })
        .expect(201);
      const id = (body as { transaction_id: string }).transaction_id;
      ids.push(id);
      if (before === 'completed')
        await contributions.complete(bank.test, id, { bank_reference: 'FT-1' }).expect(200);
      if (before === 'by another') await contributions.complete(other.test, id).expect(200);
    }
    return { company: twin, ids };
  }

  function idOf({ ids }: Twin, at: number): string {
    const [first = 'K7Q20CR5M3V9XHG'] = ids;
    if (at === -1) return generateTransactionId(first.slice(0, 4), new Date(0));
    return at === -2 ? `${first.slice(0, -1)}U` : (ids[at] ?? first);
  }

  const bodyOf = ({ amount, bank_reference, value_date }: Line): object => ({
    amount,
    bank_reference,
    value_date,
  });

  /** What is stored about a twin, without its ids and times. */
  async function stored({ company: { name }, ids }: Twin): Promise<unknown> {
    const { admin } = service.database;
    const query = async (text: string, values: unknown[]): Promise<unknown[]> =>
      (await admin.query<{ row: unknown }>(text, values)).rows.map(({ row }) => row);
    return {
      transactions: await query(
        `SELECT jsonb_build_array(t.status, t.bank_reference, t.value_date, t.completed_by_environment_id,
                                  t.completed_by_api_key, t.completed_at IS NULL) AS row
           FROM unnest($1::text[]) WITH ORDINALITY AS i (id, place) JOIN transactions t ON t.transaction_id = i.id
          ORDER BY i.place`,
        [ids],
      ),
      events: await query(
        `SELECT jsonb_build_array(i.place, v.type, v.actor_environment_id, v.actor_api_key, v.evidence) AS row
           FROM unnest($1::text[]) WITH ORDINALITY AS i (id, place) JOIN events v ON v.transaction_id = i.id
          WHERE v.type <> 'contribution.created' ORDER BY i.place, v.recorded_at, v.event_id`,
        [ids],
      ),
      supports: await query(
        `SELECT jsonb_build_array(u.user_hash, s.project_id, s.ended_at) AS row
           FROM companies c JOIN environments e ON e.company_id = c.company_id
           JOIN supports s ON s.environment_id = e.environment_id
           JOIN users u ON u.environment_id = s.environment_id AND u.user_id = s.user_id
          WHERE c.name = $1 ORDER BY u.user_hash, s.project_id`,
        [name],
      ),
    };
  }

  test('have the same responses, rows and events', async () => {
    const cases = fc.asyncProperty(
      fc.array(template, { minLength: 1, maxLength: 5 }),
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('bank', 'bank', 'bank', 'company', 'stranger'),
      async (templates, lines, who) => {
        const [single, batch] = [await build(templates), await build(templates)];
        const callerOf = (twin: Twin): Client =>
          who === 'bank' ? bank.test : who === 'company' ? twin.company.test : company.test;
        const expected: unknown[] = [];
        for (const one of lines) {
          const id = idOf(single, one.at);
          const response = await callerOf(single).put(`/company/integration/contributions/${id}`, {
            status: 'completed',
            ...bodyOf(one),
          });
          const { code = null, detail = null, errors } = response.body as Record<string, unknown>;
          const isReplay = response.get('Idempotent-Replayed') === 'true';
          const outcome = response.status >= 400 ? 'refused' : isReplay ? 'replayed' : 'completed';
          const said = code === 'invalid_request' ? String(detail).replace('request', 'line') : detail;
          expected.push({ outcome, code, detail: said, errors });
        }
        const file = ndjson(lines.map((one) => ({ transaction_id: idOf(batch, one.at), ...bodyOf(one) })));
        const { outcomes, summary } = await send(callerOf(batch), file);
        expect(
          outcomes.map(({ outcome, code, detail, errors }) => ({ outcome, code, detail, errors })),
        ).toEqual(expected);
        expect(summary?.lines).toBe(lines.length);
        expect(await stored(batch)).toEqual(await stored(single));
        count += 1;
      },
    );
    const numRuns = takesAllRows ? 150 : randomCases(25);
    await fc.assert(cases, { numRuns });
    expect(count).toBe(numRuns);
    expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
  }, 900_000);
});

describe('files at the same time', () => {
  test('a second one of the environment gets 429, and none is lost', async () => {
    const ids = await createMany(40);
    const file = ndjson(ids.map((id) => ({ transaction_id: id, amount: '25.50' })));
    const responses = await Promise.all(Array.from({ length: 4 }, () => send(company.test, file)));
    const accepted = responses.filter(({ status }) => status === 200);
    const rejected = responses.filter(({ status }) => status !== 200);
    expect(accepted.reduce((sum, { summary }) => sum + (summary?.completed ?? 0), 0)).toBe(40);
    for (const { code, headers } of rejected)
      expect([code, headers.get('Retry-After')]).toEqual(['rate_limited', '1']);
  });

  test('of two banks with the same supports in opposite orders do not deadlock', async () => {
    const [one, two] = [await service.addCompany(), await service.addCompany()];
    for (const each of [one, two]) await contributions.link(each);
    const projectId = await addProject(service.database.admin);
    for (let round = 0; round < 5; round += 1) {
      const pairs: [string, string][] = [];
      for (let user = 0; user < 20; user += 1) {
        const create = async (): Promise<string> => {
          const body = { project_id: projectId, amount: '25.50', user_hash: `shared-${round}-${user}` };
          const response = await company.test
            .put('/company/integration/contributions/create', body)
            .expect(201);
          return (response.body as { transaction_id: string }).transaction_id;
        };
        pairs.push([await create(), await create()]);
      }
      const fileOf = (ids: string[]): string =>
        ndjson(ids.map((id) => ({ transaction_id: id, amount: '25.50' })));
      const [first, second] = await Promise.all([
        send(one.test, fileOf(pairs.map(([id]) => id))),
        send(two.test, fileOf(pairs.map(([, id]) => id).reverse())),
      ]);
      expect([first.summary?.completed, second.summary?.completed]).toEqual([20, 20]);
    }
    const { rows } = await service.database.admin.query(
      `SELECT sum(deadlocks)::integer AS deadlocks FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });
});

describe('a file that has to wait', () => {
  const fileOf = (ids: readonly string[]): string =>
    ndjson(ids.map((id) => ({ transaction_id: id, amount: '25.50' })));

  test('for a locked row completes all other lines', async () => {
    const { admin } = service.database;
    const ids = await addCopies(admin, await contributions.create(), 12);
    const locked = ids[7]!;
    const { environment_id: environmentId } = (await contributions.row(locked)) as { environment_id: number };
    const client = await admin.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        'SELECT FROM transactions WHERE environment_id = $1 AND transaction_id = $2 FOR UPDATE',
        [environmentId, locked],
      );
      const { outcomes, summary } = await send(company.test, fileOf(ids));
      expect(summary).toMatchObject({ lines: 12, completed: 11, refused: 1 });
      expect(outcomes.filter(({ outcome }) => outcome === 'refused')).toMatchObject([
        { line: 8, transaction_id: locked, code: 'database_timeout' },
      ]);
      expect(await send(company.test, fileOf([locked]))).toMatchObject({
        status: 503,
        code: 'database_timeout',
      });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect((await send(company.test, fileOf(ids))).summary).toMatchObject({ completed: 1, replayed: 11 });
  });

  test('for a slow database completes smaller sets', async () => {
    const { admin } = service.database;
    const ids = await addCopies(admin, await contributions.create(), 50);
    const run = async (...statements: string[]): Promise<void> => {
      const client = await admin.connect();
      // One command for each, because Citus sends each to the workers.
      for (const statement of ['SET citus.enable_unsafe_triggers = on', ...statements]) {
        await client.query(statement);
      }
      client.release();
    };
    await run(
      `CREATE FUNCTION delay_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.06); RETURN NEW; END'`,
      'CREATE TRIGGER delay_event BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION delay_event()',
    );
    try {
      expect((await send(company.test, fileOf(ids))).summary).toMatchObject({ completed: 50 });
    } finally {
      await run('DROP TRIGGER delay_event ON events', 'DROP FUNCTION delay_event');
    }
  });

  test('finds a free slot, although another company has a file in progress in both environments', () => {
    const slots = createBatchSlots();
    const companyOf = (id: number, environmentKind: 'production' | 'test') => ({
      environmentId: id,
      environmentKind,
    });
    slots.take(companyOf(1, 'production'));
    slots.take(companyOf(2, 'test'));
    const free = slots.take(companyOf(4, 'test'));
    expect(() => slots.take(companyOf(6, 'test'))).toThrow(/busy|overloaded|capacity/i);
    free();
    slots.take(companyOf(6, 'test'));
    slots.take(companyOf(3, 'production'));
  });
});

test('the path takes POST only', async () => {
  await company.test.get(completionsPath).expect(405);
});

describe('hostile files', () => {
  const post = (client: Client, headers: Record<string, string>, body: Uint8Array<ArrayBuffer>) =>
    fetch(`http://127.0.0.1:${service.port}${completionsPath}`, {
      method: 'POST',
      headers: {
        'API-Key': client.apiKey ?? '',
        'API-Secret': client.apiSecret ?? '',
        'Content-Type': 'application/x-ndjson',
        ...headers,
      },
      body,
    });

  test.each([
    ['bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x0a)), 413],
    ['truncated file', gzipSync('{}').subarray(0, 20), 400],
    ['file that is not compressed', Buffer.from('{}'), 400],
  ])('a gzip %s is rejected', async (_what, body, status) => {
    const response = await post(company.test, { 'Content-Encoding': 'gzip' }, new Uint8Array(body));
    expect(response.status).toBe(status);
  });

  test('a file with lines of other encodings completes the readable lines', async () => {
    const [id = ''] = await createMany(1);
    const good = Buffer.from(ndjson([{ transaction_id: id, amount: '25.50' }]));
    const file = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('{"transaction_id":"\n', 'utf16le'),
      Buffer.from([0x0a]),
      good,
      Buffer.alloc(1024 * 1024, 0x61),
    ]);
    const response = await sendFile(`http://127.0.0.1:${service.port}`, company.test, new Uint8Array(file));
    expect(response.outcomes.map(({ outcome }) => outcome)).toContain('completed');
    expect(response.summary).toMatchObject({ completed: 1 });
    expect(response.outcomes.at(-1)).toMatchObject({ outcome: 'refused', code: 'malformed_body' });
  });

  test('a connection that closes in the middle of the file completes nothing', async () => {
    const [id = ''] = await createMany(1);
    const socket = connect(service.port, '127.0.0.1');
    await once(socket, 'connect');
    const line = ndjson([{ transaction_id: id, amount: '25.50' }]);
    socket.write(
      `POST ${completionsPath} HTTP/1.1\r\nHost: a\r\nAPI-Key: ${company.test.apiKey}\r\n` +
        `API-Secret: ${company.test.apiSecret}\r\nContent-Type: application/x-ndjson\r\n` +
        `Content-Length: ${line.length + 1}\r\n\r\n${line}`,
    );
    socket.end();
    socket.resume();
    await once(socket, 'close');
    expect(await contributions.row(id)).toMatchObject({ status: 'pending' });
    expect(await send(company.test, line)).toMatchObject({ summary: { completed: 1 } });
  });

  longTest('a client that leaves frees its slot, and can send the file again', async () => {
    const ids = await addCopies(service.database.admin, await contributions.create(), 3_000);
    const file = ndjson(ids.map((id) => ({ transaction_id: id, amount: '25.50' })));
    const leaving = new AbortController();
    const response = await fetch(`http://127.0.0.1:${service.port}${completionsPath}`, {
      method: 'POST',
      headers: {
        'API-Key': company.test.apiKey ?? '',
        'API-Secret': company.test.apiSecret ?? '',
        'Content-Type': 'application/x-ndjson',
      },
      body: file,
      signal: leaving.signal,
    });
    leaving.abort();
    await response.text().catch(() => undefined);
    let again: FileResponse | undefined;
    await until('the slot is free', async () => {
      again = await send(company.test, file);
      return again.status === 200;
    });
    expect(again!.summary!.completed + again!.summary!.replayed).toBe(3_000);
    const { rows } = await service.database.admin.query(
      `SELECT count(*)::integer AS events FROM events
        WHERE type = 'contribution.completed' AND transaction_id = ANY ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ events: 3_000 }]);
  });
});
