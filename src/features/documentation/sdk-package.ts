import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { type Markup, markup } from '../../shared/markup';
import type { Links } from './links';

/** The packed SDK. Documents install it from this service, never by its name from a registry. */
export interface SdkPackage {
  /** The file's name, with the version. */
  file: string;
  content: Buffer;
  /** As in npm's lockfiles. */
  integrity: string;
}

/** The folder that scripts/build.mjs fills: in the checkout, or in the built service. */
const folder = path.join(__dirname, '..', '..', '..', 'packages', 'sdk', 'packed');

/**
 * Reads the packed SDK.
 *
 * @throws Error if it is missing, so that the service does not start without it
 */
export function readSdkPackage(): SdkPackage {
  const [file, ...others] = readdirSync(folder);
  if (file === undefined || others.length > 0 || !/^contribution-service-sdk-[\w.-]+\.tgz$/.test(file)) {
    throw new Error(`${folder} must contain only the packed SDK. Run: npm run build`);
  }
  const content = readFileSync(path.join(folder, file));
  const hash = createHash('sha512').update(content).digest('base64');
  return { file, content, integrity: `sha512-${hash}` };
}

export const pathOfSdkPackage = ({ file }: SdkPackage): string => `/docs/sdk/${file}`;

/** Where to get the file, and how to recognize it. */
export function renderSdkPackage({ file, content, integrity }: SdkPackage, links: Links): Markup {
  return markup`<dl class="fields">
<div><dt>File</dt><dd><a href="${links.sdkPackage(file)}"><code>${file}</code></a>, ${content.length.toLocaleString('en-US')} bytes</dd></div>
<div><dt>Integrity</dt><dd><code>${integrity}</code></dd></div>
</dl>
`;
}
