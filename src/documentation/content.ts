import { readFileSync } from 'node:fs';
import path from 'node:path';

import { examplePrograms, type PageName } from './links';

// The checkout, or the folder with the built service and its documents.
const root = path.join(__dirname, '..', '..');

/** The pages that are written in Markdown. The others are generated. */
export type GuideName = Exclude<PageName, 'reference' | 'topics'>;

/**
 * Reads the source of a guide, without the parts that only readers of the file need.
 *
 * @throws Error if the file is missing, so that the service does not start without it
 */
export function readGuide(name: GuideName): string {
  const file = name === 'changelog' ? 'CHANGELOG.md' : path.join('docs', 'guides', `${name}.md`);
  const source = readFileSync(path.join(root, file), 'utf8');
  return source.replace(/<!-- source-only -->.*?<!-- \/source-only -->/gs, '');
}

/** The guides' JavaScript programs. */
export function readExamples(): { name: string; content: string }[] {
  return examplePrograms.map((name) => ({
    name,
    content: readFileSync(path.join(root, 'docs', 'guides', 'examples', name), 'utf8'),
  }));
}

const script = 'text/javascript; charset=utf-8';
const assets = {
  'style.css': { contentType: 'text/css; charset=utf-8' },
  'documentation.js': { contentType: script },
  'search.js': { contentType: script },
  'search-engine.js': { contentType: script },
  'stemmer.js': { contentType: script, file: require.resolve('stemmer') },
  // The package's file for browsers.
  'minisearch.js': {
    contentType: script,
    file: path.join(path.dirname(require.resolve('minisearch')), '..', 'es', 'index.js'),
  },
  'icon.svg': { contentType: 'image/svg+xml' },
} as const satisfies Record<string, { contentType: string; file?: string }>;

/** All files that the pages load. */
export function readAssets(): { name: string; contentType: string; content: string }[] {
  return Object.entries(assets).map(([name, { contentType, ...asset }]) => ({
    name,
    contentType,
    content: readFileSync('file' in asset ? asset.file : path.join(__dirname, 'assets', name), 'utf8'),
  }));
}
