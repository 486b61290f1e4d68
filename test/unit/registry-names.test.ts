import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { namesFromRegistry } from '../support/registry-names';
import { blocksOf } from '../support/documents';

/**
 * Nobody owns the names of these packages in a registry. Their first owner could run code beside
 * the secrets of partners, so no text tells a reader to resolve them there.
 */
const root = path.join(__dirname, '..', '..');
const generated = /(^|\/)(node_modules|dist[^/]*|packed[^/]*)(\/|$)/;
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (generated.test(name)) return [];
    if (entry.isDirectory()) return filesIn(name);
    return /\.(md|ts|[cm]?js|json|ya?ml|sh|html|service|example)$|^[^.]+$/.test(entry.name) ? [name] : [];
  });
const documents = [
  ...readdirSync(root).filter((name) => /\.md$|^Dockerfile|^\.env\.example$|^package\.json$/.test(name)),
  ...['docs', 'packages', 'src', 'scripts', 'bin', 'bench', 'deploy', 'ops', 'database', 'seeds'].flatMap(
    filesIn,
  ),
];
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

test.each([
  'npm install contribution-service-sdk',
  'npm i -D contribution-service-sdk@0.1.0',
  'npm install --save-exact @contributions/sdk',
  'Install it with `npm add contribution-service-sdk`.',
  'npx contribution-service-sdk doctor',
  'npx --yes contribution-service-sdk@latest doctor',
  'npx --no-install contribution-service-sdk doctor',
  'npm exec -- contribution-service-sdk doctor',
  'npm exec --package=x contribution-service doctor',
  'pnpm dlx contribution-service-sdk',
  'yarn add contribution-service-sdk',
  'bunx contribution-service-sdk',
  'deno run npm:contribution-service-sdk',
  'pip install contribution-service',
  "import { Client } from 'https://esm.sh/contribution-service-sdk';",
])('finds the name in: %s', (text) => {
  expect(namesFromRegistry(`First line\n${text}\n`)).not.toEqual([]);
});

test.each([
  'npm install https://api.example.org/docs/sdk/contribution-service-sdk-0.1.0.tgz',
  'npm install ./contribution-service-sdk-0.1.0.tgz',
  './node_modules/.bin/contribution-service-sdk doctor',
  'bin/contribution-service doctor',
  "import { Client } from 'contribution-service-sdk';",
  'npm install\ncontribution-service-sdk',
])('accepts: %s', (text) => {
  expect(namesFromRegistry(text)).toEqual([]);
});

test('no document, source or message resolves a name of this project from a registry', () => {
  expect(documents.length).toBeGreaterThan(500);
  const found = documents.flatMap((file) => namesFromRegistry(read(file)).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

describe('the commands in documents', () => {
  const commands = documents
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      blocksOf(read(file), ['sh', 'shell', 'bash', 'console']).map(({ text }) => ({ file, text })),
    );

  test('run no program that a registry might provide', () => {
    expect(commands.length).toBeGreaterThan(50);
    expect(
      commands.filter(({ text }) => /\b(npx|bunx|pnpx|dlx|npm exec|pip3? install)\b/.test(text)),
    ).toEqual([]);
  });

  test('install only files of our packages, with their current version', () => {
    const fileOf = (folder: string): string => {
      const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as Record<string, string>;
      return `${manifest['name']!.replace('@', '').replace('/', '-')}-${manifest['version']}.tgz`;
    };
    const installed = commands.flatMap(({ text }) =>
      [...text.matchAll(/npm (?:install|i|add)((?: [^\s&;]+)+)/g)].flatMap(([, words = '']) =>
        words.trim().split(' '),
      ),
    );
    const known = [
      ...['"$SDK"', `https://api.example.org/docs/sdk/${fileOf('sdk')}`],
      ...readdirSync(path.join(root, 'packages')).map((folder) => `./${fileOf(folder)}`),
    ];
    expect(new Set(installed)).toEqual(new Set(known));
  });
});

test('npm refuses to publish every package', () => {
  const packages = [
    '.',
    ...readdirSync(path.join(root, 'packages')).map((name) => path.join('packages', name)),
  ];
  const manifests = packages
    .map((folder) => path.join(folder, 'package.json'))
    .filter((file) => existsSync(path.join(root, file)));
  expect(manifests.length).toBeGreaterThan(1);
  for (const file of manifests)
    expect([file, JSON.parse(read(file))]).toEqual([file, expect.objectContaining({ private: true })]);
});
