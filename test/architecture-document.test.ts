import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What docs/architecture.md draws and lists is what there is. */
const root = path.join(__dirname, '..');
const text = readFileSync(path.join(root, 'docs', 'architecture.md'), 'utf8');
const diagram = /```mermaid\n([\s\S]*?)```/.exec(text)?.[1] ?? '';

const sources = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => path.relative(path.join(root, 'src'), path.join(entry.parentPath, entry.name)));

/** The source files that a file imports, itself or through others. */
function reachableFrom(file: string, reached = new Set<string>()): Set<string> {
  const source = readFileSync(path.join(root, 'src', file), 'utf8');
  for (const [, specifier = ''] of source.matchAll(/\bfrom '(\.[^']+)'/g)) {
    const target = path.join(path.dirname(file), specifier);
    const found = [`${target}.ts`, path.join(target, 'index.ts')].find((each) => sources.includes(each));
    if (found === undefined || reached.has(found)) continue;
    reached.add(found);
    reachableFrom(found, reached);
  }
  return reached;
}

/** The file that stands first in each box, by the name of the box. */
const boxes = new Map(
  [...diagram.matchAll(/(\w+)\["([\w/-]+\.ts)<br>|(\w+)\["([\w/-]+\.ts)"\]/g)].map((match) => {
    const [name, file] = [match[1] ?? match[3] ?? '', match[2] ?? match[4] ?? ''];
    return [name, sources.find((each) => each === file || each === path.join('modules', file)) ?? file];
  }),
);

test('every file in the diagram of a request exists', () => {
  expect(boxes.size).toBeGreaterThan(5);
  expect([...boxes.values()].filter((file) => !sources.includes(file))).toEqual([]);
});

test('server, app, binding and database are reached in the order that the diagram shows', () => {
  const [server, app, binding, database] = ['server', 'app', 'binding', 'db'].map((name) => boxes.get(name)!);
  expect(reachableFrom(server!)).toContain(app);
  expect(reachableFrom(app!)).toContain(binding);
  expect(reachableFrom(server!)).toContain(database);
  expect(reachableFrom(database!)).not.toContain(binding);
  expect(reachableFrom(binding!)).not.toContain(app);
});

describe.each(
  /`server (→ \w+ )+→ db`/
    .exec(text)![0]
    .replace(/`/g, '')
    .split(' → ')
    .map((layer, index, layers) => [layer, layers[index + 1]] as const)
    .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
)('%s → %s', (upper, lower) => {
  /** The files of a layer: one of that name, those with that ending, or those in that folder. */
  const filesOf = (layer: string): string[] =>
    sources.filter(
      (file) => file === `${layer}.ts` || file.endsWith(`.${layer}.ts`) || file.startsWith(`${layer}/`),
    );
  const importers = (from: string, to: string): string[] => {
    const targets = new Set(filesOf(to));
    return filesOf(from).filter((file) =>
      [...readFileSync(path.join(root, 'src', file), 'utf8').matchAll(/\bfrom '(\.[^']+)'/g)].some(
        ([, specifier = '']) => targets.has(`${path.join(path.dirname(file), specifier)}.ts`),
      ),
    );
  };

  test('is how they import', () => {
    expect(importers(upper, lower).length).toBeGreaterThan(0);
    expect(importers(lower, upper)).toEqual([]);
  });
});

test('every folder of src is in the list of folders, and every folder in the list exists', () => {
  const table = text.slice(text.indexOf('## The folders'), text.indexOf('Modules do not import'));
  const listed = [...table.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w/]+)\/`/g)].map(([, folder = '']) => folder),
  );
  expect(listed.filter((folder) => !existsSync(path.join(root, folder)))).toEqual([]);
  const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}`);
  expect(folders.filter((folder) => !listed.includes(folder))).toEqual([]);
});
