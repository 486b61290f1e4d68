import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { type CsvMapping, layoutsOf } from '@contribution-service/bank-files';

import { root } from './program';

export interface SampleFile {
  bytes: Buffer;
  mapping: CsvMapping | undefined;
}

const folders = [
  'packages/bank-files/test/samples',
  'packages/bank-files/test/cases',
  'test/unit/bank-statements/cases',
];

/** The mapping that a ready-made layout offers for a line of the file. */
const offered = (text: string): CsvMapping | undefined => layoutsOf(text)[0]?.mapping;

function layouts(): [string, SampleFile][] {
  const all = readFileSync(path.join(root, 'packages/bank-files/test/cases/layouts.txt'), 'utf8');
  return all
    .split(/^== /m)
    .slice(1)
    .flatMap((part) => {
      const text = part.slice(part.indexOf('\n') + 1);
      const mapping = offered(text);
      return mapping ? [[part.split(' | ')[0]!, { bytes: Buffer.from(text), mapping }] as const] : [];
    })
    .map(([name, sample]) => [name, sample]);
}

/** The files of banks and the CSV layouts among the tests, by name. */
export function samplesOfFiles(): [string, SampleFile][] {
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => /\.(xml|bai2)$/.test(name))
      .map((name): [string, SampleFile] => [
        name,
        { bytes: readFileSync(path.join(root, folder, name)), mapping: undefined },
      ]),
  );
  return [...files, ...layouts()];
}
