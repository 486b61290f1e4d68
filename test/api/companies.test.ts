import { OperatorError } from '../../src/shared/operator-error';
import { startService, type TestService } from '../support/service';

/** The effects of the operator's commands on the database. */
let service: TestService;
let count = 0;
const newName = (): string => `Operated ${(count += 1)}`;

async function query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

async function createCompanies(number: number): Promise<string[]> {
  const names = Array.from({ length: number }, newName);
  for (const name of names) await service.companies.create(name);
  return names;
}

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('a company', () => {
  test('is created once per name, with one environment of each kind', async () => {
    const [name = ''] = await createCompanies(1);
    await expect(service.companies.create(name)).rejects.toThrow(OperatorError);
    expect(
      await query(
        'SELECT e.kind FROM companies c JOIN environments e USING (company_id) WHERE c.name = $1 ORDER BY e.kind',
        [name],
      ),
    ).toEqual([{ kind: 'production' }, { kind: 'test' }]);
  });

  test('can be renamed to an unused name, and the command reports the former name', async () => {
    const [name = '', other = ''] = await createCompanies(2);
    const [before] = await query('SELECT * FROM companies WHERE name = $1', [name]);
    const renamed = newName();
    expect(await service.companies.rename(name, renamed)).toBe(name);
    expect(await service.companies.rename(renamed, renamed)).toBe(renamed);
    await expect(service.companies.rename(renamed, other)).rejects.toThrow(OperatorError);
    await expect(service.companies.rename(name, newName())).rejects.toThrow(OperatorError);
    expect(
      await query('SELECT * FROM companies WHERE company_id = $1 OR name = $2 ORDER BY name = $2', [
        before?.['company_id'],
        other,
      ]),
    ).toEqual([{ ...before, name: renamed }, expect.objectContaining({ name: other })]);
  });
});

describe('a key pair', () => {
  const issue = (company: string, expiresAt?: Date) =>
    service.keyPairs.issue({ company, kind: 'test', scopes: ['projects:read'], expiresAt });
  const anHourAgo = new Date(Date.now() - 3_600_000);

  async function revokedAt(apiKey: string): Promise<unknown> {
    const [row] = await query('SELECT revoked_at FROM key_pairs WHERE api_key = $1', [apiKey]);
    return row!['revoked_at'];
  }

  test('is revoked once, without affecting others', async () => {
    const [name = ''] = await createCompanies(1);
    const [first, second] = [await issue(name), await issue(name)];
    await service.keyPairs.revoke(first.apiKey);
    const before = await revokedAt(first.apiKey);
    expect(before).toBeInstanceOf(Date);
    expect(await revokedAt(second.apiKey)).toBeNull();
    await expect(service.keyPairs.revoke(first.apiKey)).rejects.toThrow(OperatorError);
    expect(await revokedAt(first.apiKey)).toEqual(before);
  });

  test('that is revoked before it expires keeps its revocation time when the next is issued', async () => {
    const [name = ''] = await createCompanies(1);
    const expired = await issue(name, anHourAgo);
    const revocation = new Date('2026-01-01T00:00:00Z');
    await query('UPDATE key_pairs SET revoked_at = $2 WHERE api_key = $1', [expired.apiKey, revocation]);
    await issue(name);
    expect(await revokedAt(expired.apiKey)).toEqual(revocation);
  });

  test('that has expired frees its slot when the next of the same kind is issued', async () => {
    const [name = '', other = ''] = await createCompanies(2);
    const [expired, live, ofOther] = [
      await issue(name, anHourAgo),
      await issue(name),
      await issue(other, anHourAgo),
    ];
    const expiredOfOtherScopes = await service.keyPairs.issue({
      company: name,
      kind: 'test',
      scopes: ['contributions:read'],
      expiresAt: anHourAgo,
    });
    await issue(name);
    expect(await revokedAt(expired.apiKey)).toEqual(anHourAgo);
    for (const { apiKey } of [live, ofOther, expiredOfOtherScopes])
      expect(await revokedAt(apiKey)).toBeNull();
  });

  test('with an expiry time occupies a slot until then', async () => {
    const [name = ''] = await createCompanies(1);
    const inAnHour = new Date(Date.now() + 3_600_000);
    await issue(name, inAnHour);
    await issue(name, inAnHour);
    await expect(issue(name)).rejects.toThrow(OperatorError);
  });
});

describe('a link between a company and its bank', () => {
  const linksOf = (company: string) =>
    query(
      `SELECT b.name AS bank, l.kind, l.unlinked_at IS NOT NULL AS ended
         FROM bank_links l
         JOIN environments e ON e.environment_id = l.environment_id JOIN companies c ON c.company_id = e.company_id
         JOIN environments f ON f.environment_id = l.bank_environment_id JOIN companies b ON b.company_id = f.company_id
        WHERE c.name = $1 ORDER BY b.name, l.kind, ended`,
      [company],
    );

  test('is stored once when it is created twice', async () => {
    const [company = '', bank = ''] = await createCompanies(2);
    await service.companies.linkBank('test', company, bank);
    await service.companies.linkBank('test', company, bank);
    expect(await linksOf(company)).toEqual([{ bank, kind: 'test', ended: false }]);
  });

  test('ends without affecting other links', async () => {
    const [company = '', other = '', bank = '', secondBank = ''] = await createCompanies(4);
    for (const name of [company, other]) await service.companies.linkBank('test', name, bank);
    await service.companies.linkBank('test', company, secondBank);
    await service.companies.linkBank('production', company, bank);
    await service.companies.unlinkBank('test', company, bank);
    expect(await linksOf(company)).toEqual([
      { bank, kind: 'production', ended: false },
      { bank, kind: 'test', ended: true },
      { bank: secondBank, kind: 'test', ended: false },
    ]);
    expect(await linksOf(other)).toEqual([{ bank, kind: 'test', ended: false }]);
  });

  test('that has ended keeps its time when it is ended again or another one is', async () => {
    const [company = '', bank = ''] = await createCompanies(2);
    const times = () => query('SELECT unlinked_at FROM bank_links ORDER BY linked_at');
    await service.companies.linkBank('test', company, bank);
    await service.companies.unlinkBank('test', company, bank);
    const before = await times();
    await expect(service.companies.unlinkBank('test', company, bank)).rejects.toThrow(OperatorError);
    expect(await times()).toEqual(before);
    await service.companies.linkBank('test', company, bank);
    await service.companies.unlinkBank('test', company, bank);
    expect((await times()).slice(0, before.length)).toEqual(before);
  });

  test('ends now, or at its own start if that is later because the clock was set back', async () => {
    const [company = '', bank = '', laterBank = ''] = await createCompanies(3);
    for (const name of [bank, laterBank]) await service.companies.linkBank('test', company, name);
    const [earlier, later] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
    const bankEnvironment =
      '(SELECT environment_id FROM environments JOIN companies USING (company_id) WHERE name = $1 AND kind = $2)';
    for (const [name, linkedAt] of [
      [bank, earlier],
      [laterBank, later],
    ]) {
      await query(`UPDATE bank_links SET linked_at = $3 WHERE bank_environment_id = ${bankEnvironment}`, [
        name,
        'test',
        linkedAt,
      ]);
    }
    for (const name of [bank, laterBank]) await service.companies.unlinkBank('test', company, name);
    const endOf = async (name: string): Promise<Date> => {
      const [row] = await query(
        `SELECT unlinked_at FROM bank_links WHERE bank_environment_id = ${bankEnvironment}`,
        [name, 'test'],
      );
      return row!['unlinked_at'] as Date;
    };
    expect(await endOf(laterBank)).toEqual(later);
    const end = await endOf(bank);
    expect(end.getTime()).toBeGreaterThan(earlier.getTime() + 60_000);
    expect(end.getTime()).toBeLessThan(later.getTime());
  });
});
