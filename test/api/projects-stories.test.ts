import type { Response } from 'supertest';

import { addProject, addStory, archiveProject, archiveStory } from '../support/catalogue';
import type { Client } from '../support/client';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';

/** The main component: projects and stories for one user (specification 4.4). */
let service: TestService;
let company: TestCompany;
/** Eight active projects in editorial order, which differs from the order of their ids. */
let projects: number[];
let userHash: string;

const path = '/company/integration/projects-stories';
const asks = (user: string): string => `${path}?user_hash=${encodeURIComponent(user)}`;

interface Summary {
  project_id: number;
  is_supported: boolean;
  has_stories: boolean;
  has_unviewed_stories: boolean;
}

const summariesOf = (response: Response) => response.body.data as Summary[];
const idsOf = (response: Response) => summariesOf(response).map((summary) => summary.project_id);

/** The user's projects: the supported ones, then the new ones. */
async function listFor(user = userHash, client: Client = company.test) {
  const summaries = summariesOf(await client.get(asks(user)).expect(200));
  const ids = (isSupported: boolean) =>
    summaries.filter((summary) => summary.is_supported === isSupported).map((summary) => summary.project_id);
  const [supported, fresh] = [ids(true), ids(false)];
  expect(summaries.map((summary) => summary.project_id)).toEqual([...supported, ...fresh]);
  return { supported, fresh };
}

async function createPending(projectId: number, user = userHash, client = company.test): Promise<string> {
  const body = { project_id: projectId, amount: '10.00', user_hash: user };
  const response = await client.put('/company/integration/contributions/create', body).expect(201);
  return response.body.transaction_id as string;
}

async function complete(transactionId: string, client = company.test): Promise<void> {
  const address = `/company/integration/contributions/${transactionId}`;
  await client.put(address, { status: 'completed' }).expect(200);
}

async function support(projectId: number, user = userHash, client = company.test): Promise<void> {
  await complete(await createPending(projectId, user, client), client);
}

async function view(storyId: number, user = userHash, client = company.test): Promise<void> {
  await client.put(`/company/integration/stories/${storyId}/views`, { user_hash: user }).expect(204);
}

/** The story flags of the first project in the list. */
async function flagsOfFirst(user: string | undefined, client = company.test): Promise<[boolean, boolean]> {
  const response = await client.get(user === undefined ? path : asks(user)).expect(200);
  const [first] = summariesOf(response);
  expect(first!.project_id).toBe(projects[0]);
  return [first!.has_stories, first!.has_unviewed_stories];
}

let userCount = 0;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});

afterAll(() => service.stop());

beforeEach(async () => {
  const { admin } = service.database;
  await admin.query(`UPDATE projects SET status = 'archived'`);
  const added: { rank: number; id: number }[] = [];
  for (const rank of [30, 10, 20, 10, -5, 40, 20, 50]) {
    added.push({ rank, id: await addProject(admin, { rank }) });
  }
  projects = added.sort((a, b) => a.rank - b.rank || a.id - b.id).map(({ id }) => id);
  userHash = `user-${(userCount += 1)}/+==`;
});

describe('without user_hash (rule 1)', () => {
  test('the first four projects in editorial order are listed as not supported', async () => {
    const response = await company.test.get(path).expect(200);
    expect(idsOf(response)).toEqual(projects.slice(0, 4));
    expect(summariesOf(response).map((summary) => summary.is_supported)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(response.get('Cache-Control')).toBe('private, no-cache');
  });

  test('an empty user_hash is the same as none', async () => {
    const omitted = await company.test.get(path).expect(200);
    const empty = await company.test.get(`${path}?user_hash=`).expect(200);
    expect(empty.body).toEqual(omitted.body);
    expect(empty.get('Cache-Control')).toBe('private, no-cache');
  });

  test('projects that other users support are still listed, as not supported', async () => {
    await support(projects[0]!);
    const response = await company.test.get(path).expect(200);
    expect(idsOf(response)).toEqual(projects.slice(0, 4));
    expect(summariesOf(response)[0]!.is_supported).toBe(false);
  });

  test('archived projects are left out, and the next ones move up', async () => {
    await archiveProject(service.database.admin, projects[0]!);
    await archiveProject(service.database.admin, projects[2]!);
    const response = await company.test.get(path).expect(200);
    expect(idsOf(response)).toEqual([projects[1], projects[3], projects[4], projects[5]]);
  });

  test.each([0, 1, 3])('all projects are listed when there are only %i', async (count) => {
    for (const id of projects.slice(count)) await archiveProject(service.database.admin, id);
    const response = await company.test.get(path).expect(200);
    expect(idsOf(response)).toEqual(projects.slice(0, count));
  });
});

describe('with user_hash (rule 2)', () => {
  test('an unknown user gets the list of no user, and is not created', async () => {
    const nobody = await company.test.get(path).expect(200);
    const response = await company.test.get(asks(userHash)).expect(200);
    expect(response.body).toEqual(nobody.body);
    expect(response.get('Cache-Control')).toBe('no-store');
    const { rows } = await service.database.admin.query('SELECT FROM users WHERE user_hash = $1', [userHash]);
    expect(rows).toHaveLength(0);
  });

  test('supported projects come first, most recently supported first, then the first four new ones', async () => {
    const [a, b, c, d, e, f, , h] = projects;
    for (const id of [d!, a!, h!]) await support(id);
    expect(await listFor()).toEqual({ supported: [h, a, d], fresh: [b, c, e, f] });
  });

  test('a user who has seen stories of several projects gets each project once', async () => {
    const seen = [projects[0]!, projects[1]!, projects[4]!];
    for (const projectId of seen) {
      const storyId = await addStory(service.database.admin, projectId);
      await company.test
        .put(`/company/integration/stories/${storyId}/views`, { user_hash: userHash })
        .expect(204);
    }
    await support(projects[4]!);
    await support(projects[1]!);
    const response = await company.test.get(asks(userHash)).expect(200);
    const flags = summariesOf(response).map((summary) => [summary.project_id, summary.has_unviewed_stories]);
    expect(flags).toEqual([1, 4, 0, 2, 3, 5].map((place) => [projects[place], false]));
  });

  test('supported projects are sorted by completion, not by creation', async () => {
    const [a, b, c] = projects as [number, number, number];
    const first = await createPending(a);
    const second = await createPending(b);
    const third = await createPending(c);
    await complete(third);
    await complete(first);
    await complete(second);
    expect((await listFor()).supported).toEqual([b, a, c]);
  });

  test('a pending contribution does not make a user a supporter', async () => {
    await createPending(projects[1]!);
    expect(await listFor()).toEqual({ supported: [], fresh: projects.slice(0, 4) });
  });

  test('another completed contribution moves an older project up without listing it twice', async () => {
    const [a, b, c] = projects as [number, number, number];
    for (const id of [a, b, c, a]) await support(id);
    expect(await listFor()).toEqual({ supported: [a, c, b], fresh: projects.slice(3, 7) });
  });

  test('neither a repeated completion nor another pending contribution moves a project', async () => {
    const [a, b] = projects as [number, number];
    const first = await createPending(a);
    await complete(first);
    await support(b);
    await complete(first);
    await createPending(a);
    expect((await listFor()).supported).toEqual([b, a]);
  });

  test('an archived project is neither a supported nor a new project', async () => {
    const [a, b, c] = projects as [number, number, number];
    for (const id of [a, b, c]) await support(id);
    await archiveProject(service.database.admin, b);
    expect(await listFor()).toEqual({ supported: [c, a], fresh: projects.slice(3, 7) });
  });

  test('a contribution that is completed after its project was archived adds nothing to the list', async () => {
    const pending = await createPending(projects[0]!);
    await archiveProject(service.database.admin, projects[0]!);
    await complete(pending);
    expect(await listFor()).toEqual({ supported: [], fresh: projects.slice(1, 5) });
  });

  test('all supported projects are listed, even without new ones', async () => {
    for (const id of projects) await support(id);
    expect(await listFor()).toEqual({ supported: projects.toReversed(), fresh: [] });
  });

  test('as many new ones as exist are listed when fewer than four are left', async () => {
    for (const id of projects.slice(0, 6)) await support(id);
    expect((await listFor()).fresh).toEqual(projects.slice(6));
  });

  test('contributions that are completed concurrently support all their projects', async () => {
    await Promise.all(projects.map((id) => support(id)));
    const { supported, fresh } = await listFor();
    expect(fresh).toEqual([]);
    expect(supported.toSorted((x, y) => x - y)).toEqual(projects.toSorted((x, y) => x - y));
  });
});

describe('an element (rule 3)', () => {
  test('has exactly six fields, supported or new, with a user or without', async () => {
    await addStory(service.database.admin, projects[1]!);
    await support(projects[0]!);
    const summary = (id: number, isSupported: boolean, hasStories: boolean) => ({
      project_id: id,
      project_name: 'A project',
      project_image_url: `${publicBaseUrl}/demo/pictures/water/a-project.svg`,
      is_supported: isSupported,
      has_stories: hasStories,
      has_unviewed_stories: hasStories,
    });
    const [a, b, c, d, e] = projects as [number, number, number, number, number];
    const fresh = [summary(b, false, true), summary(c, false, false), summary(d, false, false)];

    const user = await company.test.get(asks(userHash)).expect(200);
    expect(user.body).toEqual({ data: [summary(a, true, false), ...fresh, summary(e, false, false)] });
    const nobody = await company.test.get(path).expect(200);
    expect(nobody.body).toEqual({ data: [summary(a, false, false), ...fresh] });
  });

  test.each([
    ['a new', false],
    ['a supported', true],
  ])(
    'of %s project has story flags that follow publishing, viewing and archiving',
    async (_which, supports) => {
      const { admin } = service.database;
      if (supports) await support(projects[0]!);
      expect(await flagsOfFirst(userHash)).toEqual([false, false]);
      const older = await addStory(admin, projects[0]!);
      expect(await flagsOfFirst(userHash)).toEqual([true, true]);
      await view(older);
      expect(await flagsOfFirst(userHash)).toEqual([true, false]);
      expect(await flagsOfFirst(undefined)).toEqual([true, true]);
      const newer = await addStory(admin, projects[0]!);
      expect(await flagsOfFirst(userHash)).toEqual([true, true]);
      await archiveStory(admin, newer);
      expect(await flagsOfFirst(userHash)).toEqual([true, false]);
      await archiveStory(admin, older);
      expect(await flagsOfFirst(userHash)).toEqual([false, false]);
      expect(await flagsOfFirst(undefined)).toEqual([false, false]);
    },
  );
});
