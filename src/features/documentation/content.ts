import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type PageFile, sharedPageFiles } from '../../pages/page-files';
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
const own = (name: string, contentType: string): PageFile => ({
  name,
  contentType,
  path: path.join(__dirname, 'assets', name),
});

const files: readonly PageFile[] = [
  ...sharedPageFiles,
  own('documentation.css', 'text/css; charset=utf-8'),
  own('documentation.js', script),
  own('samples.js', script),
  own('try.js', script),
  own('search.js', script),
  own('search-engine.js', script),
  { name: 'stemmer.js', contentType: script, path: require.resolve('stemmer') },
  {
    name: 'minisearch.js',
    contentType: script,
    // The package's file for browsers.
    path: path.join(path.dirname(require.resolve('minisearch')), '..', 'es', 'index.js'),
  },
];

/** All files that the pages load. */
export function readAssets(): { name: string; contentType: string; content: Buffer }[] {
  return files.map(({ name, contentType, path: file }) => ({
    name,
    contentType,
    content: readFileSync(file),
  }));
}
