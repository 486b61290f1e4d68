import { chownSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { readFileIfThere, writePrivateFile } from '../../src/startup/private-file';
import { temporaryFolder } from '../support/program';

const isRoot = process.getuid?.() === 0;
let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder.path, 'secret');
});
afterEach(() => {
  folder.remove();
});

test('a private file is readable by its owner only, also after it is written again', () => {
  writePrivateFile(file, 'one');
  writePrivateFile(file, 'two');
  expect(readFileSync(file, 'utf8')).toBe('two');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a missing file reads as undefined', () => {
  expect(readFileIfThere(file)).toBeUndefined();
});

(isRoot ? test : test.skip)(
  'root leaves a file to the account that the folder or the file belongs to (needs root)',
  () => {
    const nobody = 65_534;
    chownSync(folder.path, nobody, nobody);
    writePrivateFile(file, 'one');
    expect(statSync(file).uid).toBe(nobody);
    writePrivateFile(file, 'two');
    expect(statSync(file).uid).toBe(nobody);
  },
);
