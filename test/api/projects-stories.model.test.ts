import fc from 'fast-check';

import { addProject, addStory, archiveProject, archiveStory } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestService } from '../support/service';
import { isFullRun } from '../support/full-run';

/** `MODEL_SEQUENCES=1000` runs more sequences. */
const sequences = Number(process.env['MODEL_SEQUENCES'] ?? (isFullRun ? 60 : 6));

/**
 * Compares the service with a model of specification 4.4. After any sequence of actions, the main
 * component and the project list must match a few lines of plain filtering and sorting.
 */
let service: TestService;
/** The environments of the users: two of one company, and one of another. */
let environments: Client[];

interface Story {
  id: number;
  isArchived: boolean;
  viewers: Set<User>;
}

interface Project {
  id: number;
  rank: number;
  isArchived: boolean;
  stories: Story[];
}

interface User {
  hash: string;
  client: Client;
}

interface Contribution {
  id: string;
  user: User;
  project: Project;
}

/** The actions so far, in order. */
interface World {
  projects: Project[];
  users: User[];
  pending: Contribution[];
  completed: Contribution[];
}

// The model.

function isSupported({ completed }: World, user: User | undefined, project: Project): boolean {
  return completed.some((contribution) => contribution.user === user && contribution.project === project);
}

/** In editorial order. */
function activeProjects({ projects }: World): Project[] {
  return projects
    .filter((project) => !project.isArchived)
    .sort((one, other) => one.rank - other.rank || one.id - other.id);
}

function summary(world: World, user: User | undefined, project: Project) {
  const published = project.stories.filter((story) => !story.isArchived);
  return {
    project_id: project.id,
    is_supported: isSupported(world, user, project),
    has_stories: published.length > 0,
    has_unviewed_stories: published.some((story) => user === undefined || !story.viewers.has(user)),
  };
}

function mainComponent(world: World, user: User | undefined) {
  const latestFirst = world.completed
    .filter((contribution) => contribution.user === user)
    .map((contribution) => contribution.project)
    .reverse();
  const supported = [...new Set(latestFirst)].filter((project) => !project.isArchived);
  const fresh = activeProjects(world).filter((project) => !isSupported(world, user, project));
  return [...supported, ...fresh.slice(0, 4)].map((project) => summary(world, user, project));
}

const projectList = (world: World, user: User | undefined) =>
  activeProjects(world).map((project) => summary(world, user, project));

// The possible actions. Numbers choose among the existing items.

const number = fc.nat({ max: 999 });
const choose = <T>(choices: readonly T[], chosen: number): T | undefined => choices[chosen % choices.length];

const kinds = {
  contribute: 6,
  complete: 8,
  'complete again': 1,
  view: 6,
  'publish a story': 2,
  'archive a story': 1,
  'archive a project': 1,
  'restore a project': 1,
};
type Kind = keyof typeof kinds;

const happening = fc.record({
  kind: fc.oneof(
    ...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
  ),
  who: number,
  what: number,
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const catalogue = fc.array(
  fc.record({
    rank: fc.integer({ min: -1, max: 2 }),
    isArchived: fc.nat({ max: 3 }).map((quarter) => quarter === 0),
    areStoriesArchived: fc.array(fc.boolean(), { maxLength: 3 }),
  }),
  { maxLength: 9, size: 'max' },
);

// The same actions in the service.

async function publish(project: Project): Promise<Story> {
  const id = await addStory(service.database.admin, project.id);
  const story: Story = { id, isArchived: false, viewers: new Set() };
  project.stories.push(story);
  return story;
}

async function takeBack(story: Story): Promise<void> {
  // Unpublishing a story that is already unpublished is not an action.
  if (story.isArchived) return;
  await archiveStory(service.database.admin, story.id);
  story.isArchived = true;
}

async function archive(project: Project): Promise<void> {
  await archiveProject(service.database.admin, project.id);
  project.isArchived = true;
}

async function restore(project: Project): Promise<void> {
  await service.database.admin.query(`UPDATE projects SET status = 'active' WHERE project_id = $1`, [
    project.id,
  ]);
  project.isArchived = false;
}

async function contribute(world: World, user: User, project: Project): Promise<void> {
  const body = { project_id: project.id, amount: '1.00', user_hash: user.hash };
  const response = await user.client
    .put('/company/integration/contributions/create', body)
    .expect(project.isArchived ? 409 : 201);
  if (project.isArchived) return;
  world.pending.push({ id: response.body.transaction_id as string, user, project });
}

async function complete({ id, user }: Contribution): Promise<void> {
  await user.client.put(`/company/integration/contributions/${id}`, { status: 'completed' }).expect(200);
}

async function viewStory(user: User, story: Story): Promise<void> {
  await user.client
    .put(`/company/integration/stories/${story.id}/views`, { user_hash: user.hash })
    .expect(204);
  if (!story.isArchived) story.viewers.add(user);
}

async function happen(world: World, { kind, who, what }: Happening): Promise<void> {
  // Mostly the first user, whose list becomes long.
  const user = choose([...world.users, world.users[0]!, world.users[0]!, world.users[0]!], who)!;
  const project = choose(world.projects, what);
  const story = choose(
    world.projects.flatMap(({ stories }) => stories),
    what,
  );
  if (kind === 'contribute' && project) await contribute(world, user, project);
  if (kind === 'complete' && world.pending.length > 0) {
    const [contribution] = world.pending.splice(what % world.pending.length, 1);
    await complete(contribution!);
    world.completed.push(contribution!);
  }
  if (kind === 'complete again' && world.completed.length > 0) await complete(choose(world.completed, what)!);
  if (kind === 'view' && story) await viewStory(user, story);
  if (kind === 'publish a story' && project) await publish(project);
  if (kind === 'archive a story' && story) await takeBack(story);
  if (kind === 'archive a project' && project) await archive(project);
  if (kind === 'restore a project' && project) await restore(project);
}

let worldCount = 0;

async function create(
  description: typeof catalogue extends fc.Arbitrary<infer T> ? T : never,
): Promise<World> {
  await service.database.admin.query(`UPDATE projects SET status = 'archived' WHERE status = 'active'`);
  worldCount += 1;
  const [first, second, third] = environments as [Client, Client, Client];
  const world: World = {
    projects: [],
    users: [
      { hash: `Ann+${worldCount}`, client: first },
      { hash: `ann+${worldCount}`, client: first },
      { hash: `Ann+${worldCount}`, client: second },
      { hash: `Ann+${worldCount}`, client: third },
    ],
    pending: [],
    completed: [],
  };
  for (const { rank, isArchived, areStoriesArchived } of description) {
    const id = await addProject(service.database.admin, { rank, status: isArchived ? 'archived' : 'active' });
    const project: Project = { id, rank, isArchived, stories: [] };
    world.projects.push(project);
    for (const isStoryArchived of areStoriesArchived) {
      const story = await publish(project);
      if (isStoryArchived) await takeBack(story);
    }
  }
  return world;
}

async function shown(client: Client, path: string, user: User | undefined) {
  const query = user ? `?user_hash=${encodeURIComponent(user.hash)}` : '';
  const { body } = await client.get(`/company/integration/${path}${query}`).expect(200);
  return (body.data as ReturnType<typeof summary>[]).map((project) => ({
    project_id: project.project_id,
    is_supported: project.is_supported,
    has_stories: project.has_stories,
    has_unviewed_stories: project.has_unviewed_stories,
  }));
}

/** Situations that the sequences have covered, to prove that the comparison is meaningful. */
const met = {
  severalSupported: 0,
  supportedTwice: 0,
  supportedAndArchived: 0,
  fewNewOnes: 0,
  partlyViewed: 0,
  allViewed: 0,
};

function note(world: World, user: User | undefined): void {
  const theirs = world.completed.filter((contribution) => contribution.user === user);
  const component = mainComponent(world, user);
  const supported = component.filter((project) => project.is_supported);
  if (supported.length > 1) met.severalSupported += 1;
  if (new Set(theirs.map(({ project }) => project)).size < theirs.length) met.supportedTwice += 1;
  if (theirs.some(({ project }) => project.isArchived)) met.supportedAndArchived += 1;
  if (supported.length > 0 && component.length - supported.length < 4) met.fewNewOnes += 1;
  for (const { stories } of user ? world.projects : []) {
    const published = stories.filter((story) => !story.isArchived);
    const viewed = published.filter((story) => story.viewers.has(user!));
    if (viewed.length > 0 && viewed.length < published.length) met.partlyViewed += 1;
    if (viewed.length > 0 && viewed.length === published.length) met.allViewed += 1;
  }
}

beforeAll(async () => {
  service = await startService();
  const company = await service.addCompany();
  const other = await service.addCompany();
  environments = [company.test, company.production, other.test];
});

afterAll(() => service.stop());

test(
  'the main component and the list match the model after any sequence of actions',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        catalogue,
        fc.array(happening, { minLength: 10, maxLength: 45, size: 'max' }),
        async (start, happenings) => {
          const world = await create(start);
          for (const one of happenings) await happen(world, one);
          for (const user of [undefined, ...world.users]) {
            const client = user?.client ?? environments[0]!;
            expect(await shown(client, 'projects-stories', user)).toEqual(mainComponent(world, user));
            expect(await shown(client, 'get/projects', user)).toEqual(projectList(world, user));
            note(world, user);
          }
        },
      ),
      { seed: 20261121, numRuns: sequences },
    );

    if (sequences >= 60) expect(Object.entries(met).filter(([, count]) => count < 10)).toEqual([]);
  },
  60_000 + sequences * 5_000,
);
