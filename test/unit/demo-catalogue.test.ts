import { type DemoProject, demoProjects } from '../../seeds/demo/catalogue';

const categories = [
  'education',
  'health',
  'water',
  'food',
  'environment',
  'animals',
  'emergency',
  'housing',
  'culture',
  'livelihoods',
  'children',
  'technology',
];

const withStories = (count: number): DemoProject[] =>
  demoProjects.filter(({ stories }) => stories.length === count);

describe('the demo catalogue', () => {
  test('has at least 28 projects, two of them archived, in every category and many countries', () => {
    const archived = demoProjects.filter(({ status }) => status === 'archived');
    expect(demoProjects.length).toBeGreaterThanOrEqual(28);
    expect(archived).toHaveLength(2);
    expect(demoProjects.length - archived.length).toBeGreaterThanOrEqual(26);
    expect(new Set(demoProjects.map(({ category }) => category))).toEqual(new Set(categories));
    expect(new Set(demoProjects.map(({ country }) => country)).size).toBeGreaterThanOrEqual(20);
  });

  test.each(['slug', 'name', 'organization', 'summary', 'description'] as const)(
    'has no duplicate %s',
    (field) => {
      expect(new Set(demoProjects.map((project) => project[field])).size).toBe(demoProjects.length);
    },
  );

  test('covers every number of stories: none, one, several, some of them archived; and open-ended goals', () => {
    expect(withStories(0).length).toBeGreaterThanOrEqual(4);
    expect(withStories(1)).toHaveLength(1);
    expect(withStories(5).length).toBeGreaterThanOrEqual(1);
    const stories = demoProjects.flatMap((project) => project.stories);
    expect(stories.filter(({ status }) => status === 'archived').length).toBeGreaterThanOrEqual(2);
    expect(demoProjects.some(({ goalAmountCents }) => goalAmountCents === null)).toBe(true);
  });

  test('begins with six active projects with published stories, which the demo users use', () => {
    for (const { status, stories } of demoProjects.slice(0, 6)) {
      expect(status).toBe('active');
      expect(stories.some((story) => story.status === 'published')).toBe(true);
    }
  });
});

describe.each(demoProjects.map((project) => [project.slug, project] as const))('%s', (_slug, project) => {
  test('meets the limits', () => {
    expect(project.name.length).toBeLessThanOrEqual(120);
    expect(project.country).toMatch(/^[A-Z]{2}$/);
    expect(project.summary.length).toBeLessThanOrEqual(300);
    expect([2, 3]).toContain(project.description.split('\n\n').length);
    expect(project.highlights.length).toBeGreaterThanOrEqual(2);
    expect(project.highlights.length).toBeLessThanOrEqual(4);
    expect(project.stories.length).toBeLessThanOrEqual(5);
    if (project.goalAmountCents !== null) {
      expect(Number.isSafeInteger(project.goalAmountCents)).toBe(true);
      expect(project.goalAmountCents).toBeGreaterThan(0);
    }
  });

  test('has no empty or untrimmed texts', () => {
    const { name, organization, summary, description, highlights, stories } = project;
    const parts = [...highlights, ...stories].flatMap(({ title, body }) => [title, body]);
    for (const text of [name, organization, summary, ...description.split('\n\n'), ...parts]) {
      expect(text).not.toBe('');
      expect(text).toBe(text.trim());
      expect(text).toBe(text.normalize('NFC'));
    }
  });

  test('has its stories in 2026, the newest last', () => {
    const dates = project.stories.map(({ publishedAt }) => publishedAt);
    for (const date of dates) {
      expect(date).toMatch(/^2026-\d\d-\d\dT\d\d:\d\d:00Z$/);
      expect(new Date(date).toISOString()).toBe(date.replace('Z', '.000Z'));
      expect(date < '2026-11-01').toBe(true);
    }
    expect(dates).toEqual([...new Set(dates)].sort());
  });
});
