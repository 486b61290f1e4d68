import { readFileSync } from 'node:fs';
import path from 'node:path';

import { examplePrograms, type PageName, type ReferencePage, type SdkPage } from './links';

// The checkout, or the folder with the built service and its documents.
const root = path.join(__dirname, '..', '..', '..');

/** The pages that are written in Markdown. The others are generated. */
export type GuideName = Exclude<PageName, 'reference' | 'topics' | ReferencePage | SdkPage>;

/** The guides that are not in docs/guides. */
const filesElsewhere: Partial<Record<GuideName, string>> = {
  'typescript-sdk': path.join('packages', 'sdk', 'README.md'),
  changelog: 'CHANGELOG.md',
};

/**
 * Reads the source of a guide, without the parts that only readers of the file need.
 *
 * @throws Error if the file is missing, so that the service does not start without it
 */
export function readGuide(name: GuideName): string {
  const file = filesElsewhere[name] ?? path.join('docs', 'guides', `${name}.md`);
  const source = readFileSync(path.join(root, file), 'utf8');
  return source
    .replace(/<!-- source-only -->.*?<!-- \/source-only -->/gs, '')
    .replace(/^## \[(.+)\]/gm, '## $1');
}

/** The guides' JavaScript programs. */
export function readExamples(): { name: string; content: string }[] {
  return examplePrograms.map((name) => ({
    name,
    content: readFileSync(path.join(root, 'docs', 'guides', 'examples', name), 'utf8'),
  }));
}

const script = 'text/javascript; charset=utf-8';
const own = (name: string): string => path.join(__dirname, 'assets', name);
const font = (subset: string): string =>
  require.resolve(`@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`);
// The package's file for browsers.
const miniSearch = path.join(path.dirname(require.resolve('minisearch')), '..', 'es', 'index.js');

const files: readonly [name: string, contentType: string, file?: string][] = [
  ['favicon.ico', 'image/x-icon'],
  ['icon.svg', 'image/svg+xml'],
  ['inter-latin.woff2', 'font/woff2', font('latin')],
  ['inter-latin-ext.woff2', 'font/woff2', font('latin-ext')],
  ['documentation.css', 'text/css; charset=utf-8'],
  ['documentation.js', script],
  ['samples.js', script],
  ['try.js', script],
  ['search.js', script],
  ['search-engine.js', script],
  ['stemmer.js', script, require.resolve('stemmer')],
  ['minisearch.js', script, miniSearch],
];

/** All files that the pages load. */
export const readAssets = (): { name: string; contentType: string; content: Buffer }[] =>
  files.map(([name, contentType, file = own(name)]) => ({ name, contentType, content: readFileSync(file) }));
