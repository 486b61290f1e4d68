import { addProject, addStory } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * What is asked of the catalogue about no user is kept for CATALOGUE_MAX_AGE_MS; here for so long
 * that nothing grows too old.
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
  '%s is the same until it has grown too old, whoever of the company asks',
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

test.each(paths)('%s with a user is read anew', async (_what, path) => {
  const first = await company.test.get(`${path()}?user_hash=somebody`).expect(200);
  await change();
  const second = await company.test.get(`${path()}?user_hash=somebody`).expect(200);
  expect(second.text).not.toBe(first.text);
});

test.each(paths)('%s is kept for each environment by itself', async (_what, path) => {
  const first = await company.test.get(path()).expect(200);
  await change();
  const other = await (await service.addCompany()).test.get(path()).expect(200);
  expect(other.text).not.toBe(first.text);
  expect((await company.production.get(path()).expect(200)).text).toBe(other.text);
});

test('other parameters have an answer of their own, and what says the same has the same', async () => {
  const { body: all } = await company.test.get(`${base}/get/project/${projectId}`).expect(200);
  expect(all).not.toHaveProperty('description');
  const { body: more } = await company.test.get(`${base}/get/project/${projectId}?description=1`).expect(200);
  expect(more).toHaveProperty('description');
  await change();
  await company.test.get(`${base}/get/project/${projectId}?description=1&user_hash=`).expect(200, more);
});

test('without credentials nobody gets any of it', async () => {
  await company.test.get(`${base}/get/projects`).expect(200);
  await service.anonymous.get(`${base}/get/projects`).expect(401);
});

test('what does not exist is looked for each time', async () => {
  const path = `${base}/get/project/${projectId + 1}`;
  await company.test.get(path).expect(404);
  expect(await addProject(service.database.admin)).toBe(projectId + 1);
  await company.test.get(path).expect(200);
});
