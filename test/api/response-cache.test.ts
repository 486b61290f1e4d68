import { addProject, addStory } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * Catalogue responses without a user are cached for CATALOGUE_MAX_AGE_MS, which is so long here
 * that nothing expires.
 */
const base = '/company/integration';

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService({ settings: { CATALOGUE_MAX_AGE_MS: '60000' } });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
  await addStory(service.database.admin, projectId);
});
afterAll(() => service.stop());

const paths: [what: string, path: () => string][] = [
  ['the list of projects', () => `${base}/get/projects`],
  ['a project', () => `${base}/get/project/${projectId}`],
  ['the stories of a project', () => `${base}/get/project/${projectId}/stories`],
  ['the main component', () => `${base}/projects-stories`],
];

async function change(): Promise<void> {
  await service.database.admin.query('UPDATE projects SET project_name = project_name || $1', ['!']);
  await service.database.admin.query('UPDATE stories SET title = title || $1', ['!']);
}

test.each(paths)(
  '%s stays the same until it expires, for every key pair of the company',
  async (_what, path) => {
    const first = await company.test.get(path()).expect(200);
    await change();
    const second = await company.test.get(path()).expect(200);
    expect(second.text).toBe(first.text);
    expect(second.get('ETag')).toBe(first.get('ETag'));
    expect(second.get('X-Request-Id')).not.toBe(first.get('X-Request-Id'));
    await company.test.get(path()).set('If-None-Match', first.get('ETag')!).expect(304);
  },
);

test.each(paths)('%s with a user is not cached', async (_what, path) => {
  const first = await company.test.get(`${path()}?user_hash=somebody`).expect(200);
  await change();
  const second = await company.test.get(`${path()}?user_hash=somebody`).expect(200);
  expect(second.text).not.toBe(first.text);
});

test.each(paths)('%s is cached per environment', async (_what, path) => {
  const first = await company.test.get(path()).expect(200);
  await change();
  const other = await (await service.addCompany()).test.get(path()).expect(200);
  expect(other.text).not.toBe(first.text);
  expect((await company.production.get(path()).expect(200)).text).toBe(other.text);
});

test('different parameters are cached separately, and equivalent ones share an entry', async () => {
  const { body: all } = await company.test.get(`${base}/get/project/${projectId}`).expect(200);
  expect(all).not.toHaveProperty('description');
  const { body: more } = await company.test.get(`${base}/get/project/${projectId}?description=1`).expect(200);
  expect(more).toHaveProperty('description');
  await change();
  await company.test.get(`${base}/get/project/${projectId}?description=1&user_hash=`).expect(200, more);
});

test('a request without credentials gets nothing from the cache', async () => {
  await company.test.get(`${base}/get/projects`).expect(200);
  await service.anonymous.get(`${base}/get/projects`).expect(401);
});

test('a 404 is not cached', async () => {
  const path = `${base}/get/project/${projectId + 1}`;
  await company.test.get(path).expect(404);
  expect(await addProject(service.database.admin)).toBe(projectId + 1);
  await company.test.get(path).expect(200);
});
