import { addProject, addStory } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * How the main component identifies its user: user_hash, company and environment (specification
 * 4.4).
 */
let service: TestService;
let company: TestCompany;
let projectId: number;
let storyId: number;

const path = '/company/integration/projects-stories';
const asks = (user: string): string => `${path}?user_hash=${encodeURIComponent(user)}`;

/** Supports the project and views its story. */
async function becomeKnown(user: string, client: Client): Promise<void> {
  const body = { project_id: projectId, amount: 1, user_hash: user };
  const { body: created } = await client.put('/company/integration/contributions/create', body).expect(201);
  const address = `/company/integration/contributions/${created.transaction_id as string}`;
  await client.put(address, { status: 'completed' }).expect(200);
  await client.put(`/company/integration/stories/${storyId}/views`, { user_hash: user }).expect(204);
}

/** Whether the service recognizes the user who supported the project and viewed its story. */
async function isKnown(user: string, client: Client): Promise<boolean> {
  const { body } = await client.get(asks(user)).expect(200);
  const [first] = body.data as [{ is_supported: boolean; has_unviewed_stories: boolean }];
  expect(body.data).toHaveLength(1);
  // The service recognizes either all of a user's activity or none.
  expect(first.has_unviewed_stories).toBe(!first.is_supported);
  return first.is_supported;
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
  storyId = await addStory(service.database.admin, projectId);
});

afterAll(() => service.stop());

describe('user_hash', () => {
  const accepted: [what: string, user: string][] = [
    ['one character', '!'],
    ['1,024 characters', 'x'.repeat(1024)],
    ['base64 with + / and =', 'q2Zk1s+0uYc/9rA7dT5xNfg=='],
    ['every visible ASCII character', String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 0x21 + i))],
    ['SQL in it', "';DELETE/**/FROM/**/users;--"],
    ['percent signs', '%2B%25'],
    ['the name of a prototype', '__proto__'],
  ];
  test.each(accepted)('of %s is recognized', async (_what, user) => {
    expect(await isKnown(user, company.test)).toBe(false);
    await becomeKnown(user, company.test);
    expect(await isKnown(user, company.test)).toBe(true);
  });

  test.each([
    ['case', 'Abc+Def=', 'abc+Def='],
    ['its last character', 'abc+def==', 'abc+def='],
    ['alphabet of its base64', 'ab+/cd', 'ab-_cd'],
    ['percent-encoding', 'ab%2Bcd', 'ab+cd'],
    ['its 1,024th character', `${'z'.repeat(1023)}a`, `${'z'.repeat(1023)}b`],
  ])('that differs in %s is another user', async (_what, user, other) => {
    await becomeKnown(user, company.test);
    expect(await isKnown(user, company.test)).toBe(true);
    expect(await isKnown(other, company.test)).toBe(false);
  });

  test.each(['a+b==', 'a%20b', '+', '%20'])(
    'sent as "%s" is rejected with 400 and the hint to send %%2B',
    async (user) => {
      const response = await company.test.get(`${path}?user_hash=${user}`).expect(400);
      expect(response.body).toMatchObject({
        code: 'invalid_request',
        errors: [{ parameter: 'user_hash', code: 'invalid_format', detail: expect.stringContaining('%2B') }],
      });
    },
  );

  const refused: [what: string, code: string, value: string][] = [
    ['1,025 characters', 'invalid_length', 'x'.repeat(1025)],
    ['a letter that is not ASCII', 'invalid_format', 'caf%C3%A9'],
    ['an emoji', 'invalid_format', '%F0%9F%98%80'],
    ['broken percent-encoding', 'invalid_format', '%E0%A4'],
    ['a NUL', 'invalid_format', 'a%00'],
    ['a line feed', 'invalid_format', 'a%0A'],
    ['DEL', 'invalid_format', '%7F'],
  ];
  test.each(refused)('with %s gets 400 %s', async (_what, code, value) => {
    const response = await company.test.get(`${path}?user_hash=${value}`).expect(400);
    expect(response.body).toMatchObject({
      code: 'invalid_request',
      retryable: false,
      errors: [{ parameter: 'user_hash', code, detail: expect.any(String) }],
    });
  });

  test('sent twice is rejected with 400', async () => {
    const response = await company.test.get(`${path}?user_hash=a&user_hash=a`).expect(400);
    expect(response.body.errors).toMatchObject([{ parameter: 'user_hash', code: 'duplicate' }]);
  });

  test('under another name is an unknown parameter and is ignored', async () => {
    await becomeKnown('spelled', company.test);
    const response = await company.test.get(`${path}?userHash=spelled&limit=x&highlights=7`).expect(200);
    expect(response.body.data).toMatchObject([{ is_supported: false }]);
  });
});

describe('the same user_hash', () => {
  test('of another environment or another company is another user', async () => {
    const other = await service.addCompany();
    const clients = [company.test, company.production, other.test, other.production];
    const known = async () => Promise.all(clients.map((client) => isKnown('shared', client)));

    expect(await known()).toEqual([false, false, false, false]);
    await becomeKnown('shared', company.test);
    expect(await known()).toEqual([true, false, false, false]);
    await becomeKnown('shared', other.production);
    expect(await known()).toEqual([true, false, false, true]);
  });

  test('with another key pair of the same environment is the same user', async () => {
    await becomeKnown('rotated', company.test);
    const pair = await service.addPair(company, 'test', ['projects:read']);
    expect(await isKnown('rotated', pair)).toBe(true);
  });
});
