import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  type FileFormat,
  readProjectsFile,
  readStoriesFile,
  writeProjectsFile,
  writeStoriesFile,
} from '../../src/operator/catalogue-import/catalogue-files';
import { createCatalogueStore } from '../../src/operator/catalogue-import/catalogue.store';
import {
  type CatalogueFile,
  createImportService,
  type ImportReport,
} from '../../src/operator/catalogue-import/import.service';
import { lockCatalogue } from '../../src/db/operator-locks';
import { inOperatorTransaction, type Queries } from '../../src/db/operator-transaction';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { operatorSettings, runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { longTest, sample } from '../support/full-run';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const importFile = (file: CatalogueFile, skipInvalid = false): Promise<ImportReport> =>
  operate(database, ({ catalogueImport }) => catalogueImport.run(file, { skipInvalid }, () => undefined));
const importProjects = (text: string, format: FileFormat = 'json') =>
  importFile(readProjectsFile(text, format));
const query = async (sql: string) => (await database.admin.query<Record<string, unknown>>(sql)).rows;
const exported = () => operate(database, ({ catalogue }) => catalogue.exportProjects(), 'read');

/** Everything that an import could change, including row versions. */
const everything = () =>
  query(`
    SELECT 'project' AS kind, p.xmin::text AS version, to_jsonb(p) AS row FROM projects p
    UNION ALL SELECT 'highlight', h.xmin::text, to_jsonb(h) FROM project_highlights h
    UNION ALL SELECT 'story', s.xmin::text, to_jsonb(s) FROM stories s
    ORDER BY 1, 3`);

const inexactPublishedNumbers = () =>
  query(`
    SELECT p.project_id FROM projects p LEFT JOIN stories s USING (project_id)
     GROUP BY p.project_id
    HAVING p.published_story_numbers <> COALESCE(
      range_agg(int4range(s.story_number, s.story_number + 1)) FILTER (WHERE s.status = 'published'), '{}')`);

const project = (reference: string, more: object = {}) => ({
  reference,
  name: `Name of ${reference}`,
  image_url: 'https://pictures.example.org/a.jpg',
  summary: 'A summary, with a comma and a "quote"',
  description: 'Two\nlines',
  category: 'water',
  country: 'KE',
  organization: 'Wells; and more',
  goal_amount: '12000.50',
  highlights: [
    { title: 'First', body: 'Of two', image_url: null },
    { title: 'Second', body: 'Of two', image_url: '/demo/a.svg' },
  ],
  ...more,
});
const story = (number: number, more: object = {}) => ({
  number,
  title: `Story ${number}`,
  body: 'Once upon\na time',
  published_at: '2026-01-31T08:00:00.123456Z',
  ...more,
});
const json = (...projects: object[]): string => JSON.stringify({ projects }, null, 2);

describe('an import', () => {
  test('adds projects with their highlights and stories, in the order of the file', async () => {
    const report = await importProjects(
      json(project('a', { stories: [story(1), story(3, { status: 'archived' }), story(4)] }), project('b')),
    );
    expect(report).toMatchObject({
      projects: { added: 2, changed: 0, unchanged: 0 },
      stories: { added: 3, changed: 0, unchanged: 0 },
      problems: [],
    });
    const { projects, stories } = await exported();
    expect(projects).toEqual([
      { ...project('a'), status: 'active', rank: 10 },
      { ...project('b'), status: 'active', rank: 20 },
    ]);
    expect(stories.map(({ number, status }) => [number, status])).toEqual([
      [1, 'published'],
      [3, 'archived'],
      [4, 'published'],
    ]);
    expect(await query('SELECT published_story_numbers AS n FROM projects ORDER BY rank')).toEqual([
      { n: '{[1,2),[4,5)}' },
      { n: '{}' },
    ]);
  });

  test('of the same file again writes no row', async () => {
    const text = json(project('a', { stories: [story(1), story(2)] }), project('b', { rank: 5 }));
    await importProjects(text);
    const before = await everything();
    expect(await importProjects(text)).toMatchObject({
      projects: { added: 0, changed: 0, unchanged: 2 },
      stories: { added: 0, changed: 0, unchanged: 2 },
    });
    expect(await everything()).toEqual(before);
  });

  test('changes fields that differ, and no omitted field or other project', async () => {
    await importProjects(json(project('a', { stories: [story(1), story(2)] }), project('b')));
    const [, other] = (await exported()).projects;
    const report = await importProjects(
      json({
        reference: 'a',
        name: 'Renamed',
        goal_amount: null,
        stories: [{ number: 2, status: 'archived' }],
      }),
    );
    expect(report).toMatchObject({ projects: { changed: 1 }, stories: { changed: 1 } });
    const { projects, stories } = await exported();
    expect(projects).toEqual([
      { ...project('a'), name: 'Renamed', goal_amount: null, status: 'active', rank: 10 },
      other,
    ]);
    expect(stories.map(({ title, status }) => [title, status])).toEqual([
      ['Story 1', 'published'],
      ['Story 2', 'archived'],
    ]);
    expect(await inexactPublishedNumbers()).toEqual([]);
  });

  test('changes updated_at with any field or highlight except the rank', async () => {
    await importProjects(json(project('a'), project('b'), project('c'), project('d')));
    await database.admin.query(`UPDATE projects SET updated_at = '2026-01-01'`);
    await importProjects(
      json(
        { reference: 'a', rank: 99 },
        { reference: 'b', summary: 'Another' },
        { reference: 'c', highlights: [] },
        { reference: 'd', name: 'Name of d', stories: [story(1)] },
      ),
    );
    expect(
      await query(
        `SELECT external_reference AS reference FROM projects WHERE updated_at > '2026-01-02' ORDER BY 1`,
      ),
    ).toEqual([{ reference: 'b' }, { reference: 'c' }]);
  });

  test('adds stories from a separate file by the reference of their project', async () => {
    await importProjects(json(project('a')));
    const text =
      'project_reference,number,title,body,published_at\na,7,"A, title","Two\nlines",2026-02-01T00:00:00Z\n';
    expect(await importFile(readStoriesFile(text, 'csv'))).toMatchObject({ stories: { added: 1 } });
    expect((await exported()).stories).toEqual([
      {
        project_reference: 'a',
        number: 7,
        title: 'A, title',
        body: 'Two\nlines',
        image_url: null,
        status: 'published',
        published_at: '2026-02-01T00:00:00.000000Z',
      },
    ]);
    expect(await inexactPublishedNumbers()).toEqual([]);
  });

  longTest('waits for a concurrent import, and both succeed', async () => {
    await Promise.all([importProjects(json(project('a'))), importProjects(json(project('b')))]);
    const { projects } = await exported();
    expect(projects.map(({ rank }) => rank)).toEqual([10, 20]);
  });
});

longTest('a command that waits too long for another one fails with an explanation', async () => {
  const other = await database.admin.connect();
  try {
    await other.query('BEGIN');
    await other.query(lockCatalogue.text);
    await expect(importProjects(json(project('a')))).rejects.toThrow(
      'Another command is changing the catalogue',
    );
    await other.query('ROLLBACK');
  } finally {
    other.release();
  }
  expect(await importProjects(json(project('a')))).toMatchObject({ projects: { added: 1 } });
});

describe('a file with problems', () => {
  const wrong = `reference,name,image_url,country,goal_amount,colour
a,Good,https://example.org/a.jpg,KE,100,red

b,,ftp://example.org,Kenya,1e3,
c,"Two
lines",/picture.svg,KE,100,
d,too,few
a,Again,https://example.org/a.jpg,,,
`;

  test('is rejected with every problem by line, and nothing is written', async () => {
    const file = readProjectsFile(
      wrong.replaceAll(',colour', '').replaceAll(',red', '').replaceAll(/,$/gm, ''),
      'csv',
    );
    await expect(importFile(file)).rejects.toMatchObject({
      problems: [
        { line: 4, field: 'name', message: 'is required' },
        { line: 4, field: 'image_url', message: expect.stringContaining('https://') },
        { line: 4, field: 'country', message: expect.stringContaining('ISO 3166-1') },
        { line: 4, field: 'goal_amount', message: expect.stringContaining('US dollars') },
        { line: 5, field: 'name', message: expect.stringContaining('one line') },
        { line: 7, field: null, message: 'has 3 cells, but there are 5 columns' },
        { line: 8, field: null, message: 'repeats the record of line 2' },
      ],
    });
    expect((await exported()).projects).toEqual([]);
  });

  test('with an unknown or a missing column gets a problem for the header only', () => {
    const unknown = readProjectsFile(wrong, 'csv').problems;
    expect(unknown).toEqual([
      {
        line: 1,
        field: 'colour',
        message: expect.stringContaining('is not a known column (reference, name'),
      },
    ]);
    expect(readProjectsFile('name\na\nb\n', 'csv').problems).toEqual([
      { line: 1, field: 'reference', message: 'is a required column' },
    ]);
  });

  test.each([
    [';', '";"'],
    ['\t', 'tab'],
  ])('with another delimiter than specified gets one problem: %j', (delimiter, name) => {
    const text = ['reference,name', 'a,b', 'c,d'].join('\n').replaceAll(',', delimiter);
    expect(readProjectsFile(text, 'csv').problems).toEqual([
      { line: 1, field: null, message: expect.stringContaining(`--delimiter ${name}`) },
    ]);
    expect(readProjectsFile(text, 'csv', delimiter).problems).toEqual([]);
  });

  test.each([
    ['country', 'XX'],
    ['country', 'UK'],
    ['image_url', 'http://pictures.example.org/a.jpg'],
    ['rank', -1],
  ])('whose %s is %j is rejected', (field, value) => {
    const { problems } = readProjectsFile(json(project('a', { [field]: value })), 'json');
    expect(problems).toMatchObject([{ field }]);
  });

  test('whose reference needs quotes is rejected', () => {
    expect(readProjectsFile(json(project('bad ref!')), 'json').problems).toMatchObject([
      { field: 'reference', message: expect.stringContaining('letters, digits') },
    ]);
    expect(readProjectsFile(json(project('wells/kisumu-2_b.1:x')), 'json').problems).toEqual([]);
  });

  test('with the same problem in many lines names it once', async () => {
    const text = `reference,country\n${Array.from({ length: 2_000 }, (_, at) => `p${at},XX`).join('\n')}\n`;
    const refused: unknown = await importProjects(text, 'csv').catch((error: unknown) => error);
    const message = refused instanceof Error ? refused.message : '';
    expect(message).toContain('lines 2, 3, 4, 5, 6 and 1995 more: country must');
    expect(message.split('\n')).toHaveLength(2);
  });

  test('is imported without invalid records with --skip-invalid', async () => {
    const text = json(
      project('a', { stories: [story(1), story(2, { title: '' })] }),
      project('b', { country: 'Kenya', stories: [story(1)] }),
    );
    const report = await importFile(readProjectsFile(text, 'json'), true);
    expect(report).toMatchObject({ projects: { added: 1 }, stories: { added: 1 } });
    expect(report.problems.map(({ field }) => field)).toEqual(['title', 'country', 'project_reference']);
    const { projects, stories } = await exported();
    expect(projects.map(({ reference }) => reference)).toEqual(['a']);
    expect(stories.map(({ number }) => number)).toEqual([1]);
  });

  test('in JSON gets the line of each field, also in stories and highlights', () => {
    const text = json(
      project('a', { stories: [story(1, { published_at: '2026-02-30T00:00:00Z' })] }),
      project('b', { highlights: [{ title: 'No body' }], rank: 1.5 }),
    );
    const lines = text.split('\n');
    const lineOf = (part: string): number => lines.findIndex((line) => line.includes(part)) + 1;
    const lastLineOf = (part: string): number => lines.findLastIndex((line) => line.includes(part)) + 1;
    expect(readProjectsFile(text, 'json').problems).toEqual([
      { line: lastLineOf('"highlights"'), field: 'highlights', message: 'highlight 1: body is required' },
      { line: lineOf('"rank"'), field: 'rank', message: expect.stringContaining('whole number') },
      { line: lineOf('2026-02-30'), field: 'published_at', message: expect.stringContaining('UTC time') },
    ]);
  });

  test.each<[string, FileFormat, string, number, string]>([
    ['that is not JSON', 'json', '[\n{"reference": "a",\n"name" "x"}]', 3, 'is not valid JSON'],
    ['that is no list', 'json', '{"project": []}', 1, 'must be a list'],
    ['whose element is no object', 'json', '[\n1]', 2, 'must be an object'],
    ['whose quotes do not match', 'csv', 'reference,name\n"a,b\n', 2, 'quoting error'],
    ['that is empty', 'csv', '', 1, 'is empty'],
    ['with a column without a name', 'csv', 'reference,,name\na,b,c\n', 1, 'no name for column 2'],
    ['with a value beyond the columns', 'csv', 'reference,name,\na,b,c\n', 2, 'has 3 cells'],
    ['with two columns of one name', 'csv', 'reference,reference\n', 1, 'two columns'],
  ])('%s is rejected with the line', (_what, format, text, line, message) => {
    const { problems } = readProjectsFile(text, format);
    expect(problems[0]).toMatchObject({ line, message: expect.stringContaining(message) });
  });

  test.each([
    ['an empty column at the end', 'reference,country,\na,KE,\nb,KE,\n'],
    ['empty rows', ',,\nreference,country\n,\na,KE\n\n, \nb,KE\n,\n'],
    ['the delimiter in the first line', 'sep=;\r\nreference;country\r\na;KE\r\nb;KE\r\n'],
    ['a byte order mark and the delimiter', '\uFEFFsep=;\nreference;country\na;KE\nb;KE\n'],
  ])('as a spreadsheet writes it is read: with %s', (_what, text) => {
    const { projects, problems } = readProjectsFile(text, 'csv');
    expect(problems).toEqual([]);
    expect(projects.map(({ given }) => given)).toEqual([
      { reference: 'a', country: 'KE' },
      { reference: 'b', country: 'KE' },
    ]);
  });

  test('with the delimiter in the first line counts its lines', () => {
    expect(readProjectsFile('sep=;\nreference;country\n;\na;XX\n', 'csv').problems).toMatchObject([
      { line: 4, field: 'country' },
    ]);
  });

  test('lists a new project without a name and a story of an unknown project', async () => {
    await expect(importProjects(json({ reference: 'a' }))).rejects.toMatchObject({
      problems: [
        { line: 3, field: 'name', message: 'is required for a new record' },
        { line: 3, field: 'image_url', message: 'is required for a new record' },
      ],
    });
    const stories = JSON.stringify([{ ...story(1), project_reference: 'nobody' }]);
    await expect(importFile(readStoriesFile(stories, 'json'))).rejects.toMatchObject({
      problems: [{ field: 'project_reference', message: 'does not match any project' }],
    });
  });
});

describe('an export', () => {
  const awkward = json(
    project('a', {
      name: ' =HYPERLINK("x"),"y" ',
      summary: '',
      category: null,
      stories: [story(1, { body: 'a "quoted"\n, text;\ttab' }), story(2, { status: 'archived' })],
    }),
    project('7', { status: 'archived', rank: 3, highlights: [], goal_amount: null }),
  );

  test.each(sample<FileFormat>(['csv', 'json'], 1))(
    'as %s and its import into an empty database give the same catalogue',
    async (format) => {
      await importProjects(awkward);
      const before = await exported();
      const projectsText = writeProjectsFile(before.projects, before.stories, format);
      const storiesText = writeStoriesFile(before.stories, format);
      const again = await importProjects(projectsText, format);
      expect(again.projects).toEqual({ added: 0, changed: 0, unchanged: 2 });

      const empty = await createTestDatabase();
      try {
        for (const file of [readProjectsFile(projectsText, format), readStoriesFile(storiesText, format)]) {
          await operate(empty, ({ catalogueImport }) =>
            catalogueImport.run(file, { skipInvalid: false }, () => undefined),
          );
        }
        expect(await operate(empty, ({ catalogue }) => catalogue.exportProjects(), 'read')).toEqual(before);
      } finally {
        await empty.drop();
      }
    },
  );

  test('has projects that were inserted by hand, with a generated reference', async () => {
    await database.admin.query(
      `INSERT INTO projects (project_name, project_image_url) VALUES ('By hand', '/picture.svg')`,
    );
    const { projects } = await exported();
    expect(projects).toEqual([expect.objectContaining({ name: 'By hand', reference: expect.any(String) })]);
  });
});

describe('10,000 projects with 30,000 stories', () => {
  const many = () =>
    Array.from({ length: 10_000 }, (_, index) =>
      project(`p${index}`, { description: 'x'.repeat(1_000), stories: [story(1), story(2), story(3)] }),
    );

  longTest(
    'are imported, imported again without a change, and exported; invalid lines are rejected',
    async () => {
      const folder = temporaryFolder();
      try {
        const file = path.join(folder.path, 'catalogue.json');
        writeFileSync(file, JSON.stringify({ projects: many() }));
        const command = (...more: string[]) => runOps(['projects', ...more], operatorSettings(database));
        const startedAt = performance.now();
        const first = await command('import', file, '--json');
        const seconds = (performance.now() - startedAt) / 1_000;
        expect(first.exitCode).toBe(0);
        expect(JSON.parse(first.output)).toMatchObject({
          projects: { added: 10_000 },
          stories: { added: 30_000 },
        });
        // The promise is 20 s on an idle machine; tests share theirs.
        expect(seconds).toBeLessThan(60);
        const second = await command('import', file, '--json');
        expect(JSON.parse(second.output)).toMatchObject({
          projects: { added: 0, changed: 0, unchanged: 10_000 },
          stories: { added: 0, changed: 0, unchanged: 30_000 },
        });
        expect(await inexactPublishedNumbers()).toEqual([]);

        const copy = path.join(folder.path, 'copy.csv');
        expect(await command('export', copy)).toMatchObject({ exitCode: 0 });
        expect(readFileSync(copy, 'utf8').split('\np')).toHaveLength(10_000 + 1);
        writeFileSync(copy, 'reference,country\np1,Kenya\np2,ke\n');
        const refused = await command('import', copy);
        expect(refused.exitCode).toBe(1);
        expect(refused.output).toContain('lines 2, 3: country must');
        expect(await command('import', copy, '--skip-invalid')).toMatchObject({ exitCode: 3 });
      } finally {
        folder.remove();
      }
    },
    300_000,
  );

  longTest('take a number of statements that depends on batches, not on rows', async () => {
    const file = readProjectsFile(JSON.stringify(many().slice(0, 3_000)), 'json');
    let queries = 0;
    await inOperatorTransaction(database.ownerUrl, 'write', async ({ run: runOne, runUnprepared }) => {
      const counting: Queries = {
        run: runOne,
        runUnprepared: (text, values) => {
          queries += 1;
          return runUnprepared(text, values);
        },
      };
      const service = createImportService(createCatalogueStore(counting));
      return service.run(file, { skipInvalid: false }, () => undefined);
    });
    expect(queries).toBeLessThanOrEqual(30);
  });
});
