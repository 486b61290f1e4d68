import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { PageName } from './links';

// The checkout, or the folder that the build has put the documents into beside the program.
const root = path.join(__dirname, '..', '..', '..');

/** The pages that are written in Markdown; the others are made of the program. */
export type GuideName = Exclude<PageName, 'reference'>;

/** The one source of a guide. @throws Error when it was not shipped: the service must not start without its documents */
export function readGuide(name: GuideName): string {
  const file = name === 'changelog' ? 'CHANGELOG.md' : path.join('docs', 'guides', `${name}.md`);
  return readFileSync(path.join(root, file), 'utf8');
}

const assetTypes = {
  'style.css': 'text/css; charset=utf-8',
  'documentation.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** What the pages load, all of it from here: name, media type and content. */
export function readAssets(): { name: string; contentType: string; content: string }[] {
  return Object.entries(assetTypes).map(([name, contentType]) => ({
    name,
    contentType,
    content: readFileSync(path.join(__dirname, 'assets', name), 'utf8'),
  }));
}
