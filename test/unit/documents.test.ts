import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Links in the project's documents must lead to an existing file and, if they name one, to an
 * existing heading.
 */
const root = path.join(__dirname, '..', '..');
const documentsIn = (folder: string, recursive = false): string[] =>
  readdirSync(path.join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name));
const documents = [
  ...['.', '.github', 'bench', 'database'].flatMap((folder) => documentsIn(folder)),
  ...readdirSync(path.join(root, 'packages')).flatMap((name) => documentsIn(path.join('packages', name))),
  ...documentsIn('docs', true),
];

const withoutCode = (text: string): string => text.replace(/^(```+)[^]*?^\1/gm, '');
const read = (file: string): string => withoutCode(readFileSync(path.join(root, file), 'utf8'));

/** The anchor of a heading: lower case, without punctuation, with hyphens for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const links = documents.flatMap((file) =>
  [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ file, target })),
);

test('there are documents and links to check, also in both changelogs', () => {
  expect(documents.length).toBeGreaterThan(30);
  const linking = new Set(links.map(({ file }) => file));
  expect(linking).toContain('CHANGELOG.md');
  expect(linking).toContain('packages/sdk/CHANGELOG.md');
  expect(links.length).toBeGreaterThan(100);
});

test('every link leads to an existing file or folder and to an existing heading', () => {
  const broken = links.filter(({ file, target }) => {
    // A leading slash is a page of the running service, which test/suites/browser checks.
    if (target.startsWith('/')) return false;
    const [pathPart = '', anchor] = target.split('#');
    const found = pathPart === '' ? file : path.join(path.dirname(file), pathPart);
    if (!existsSync(path.join(root, found))) return true;
    if (anchor === undefined || statSync(path.join(root, found)).isDirectory() || !found.endsWith('.md'))
      return false;
    return !anchorsOf(found).includes(anchor);
  });
  expect(broken.map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
});

describe('decision records', () => {
  const folder = path.join('docs', 'decisions');
  const records = readdirSync(path.join(root, folder)).filter((name) => /^\d{4}-/.test(name));
  const index = read(path.join(folder, 'README.md'));

  test.each(records)('%s has a number, a date and a status, and fits on a screen', (name) => {
    const text = readFileSync(path.join(root, folder, name), 'utf8');
    expect(text).toMatch(
      /^# (\d+)\. .+\n\nDate: \d{4}-\d\d-\d\d\. Status: (Accepted|Superseded)\b.*\n\n## Context\n/,
    );
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
  });

  test('the index lists each record once with its number and title', () => {
    const titles = records.map((name) => {
      const [, number, title] = /^# (\d+)\. (.+)/.exec(read(path.join(folder, name))) ?? [];
      expect(Number(number)).toBe(Number(name.slice(0, 4)));
      return `${number}. [${title}](${name})`;
    });
    expect(index.match(/^\d+\. \[.*$/gm)).toEqual(titles);
  });
});
