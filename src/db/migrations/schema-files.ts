import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder beside `src`, both in the sources and in the build. */
const databaseDirectory = path.join(__dirname, '..', '..', '..', 'database');

/** A file of `database/`, which is the source of a part of the schema. */
export interface SchemaFile {
  /** Relative to `database/`, such as `functions/events/append_to_feed.sql`. */
  path: string;
  text: string;
  /** In hexadecimal digits. */
  sha256: string;
}

/** @param text the content; a checkout on Windows may have other line ends */
export function schemaFile(file: string, text: string): SchemaFile {
  const normalized = text.replaceAll('\r\n', '\n');
  return { path: file, text: normalized, sha256: createHash('sha256').update(normalized).digest('hex') };
}

const readFile = (file: string): SchemaFile =>
  schemaFile(file, readFileSync(path.join(databaseDirectory, file), 'utf8'));

function readFiles(folder: string): SchemaFile[] {
  return readdirSync(path.join(databaseDirectory, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
    .sort()
    .map(readFile);
}

/** The tables of the first release, in the order in which they are created. */
export const tableFiles = (): SchemaFile[] => readFiles('tables');

const isRule = ({ path: file }: SchemaFile): boolean => file.startsWith('functions/rules/');

let applied: readonly SchemaFile[] | undefined;

/**
 * The functions, one in each file with its triggers, and then the privileges. Functions of `rules/`
 * come first, because others may be defined with them. A process keeps the files that it started
 * with.
 */
export function appliedFiles(): readonly SchemaFile[] {
  if (applied === undefined) {
    const functions = readFiles('functions');
    applied = [
      ...functions.filter(isRule),
      ...functions.filter((file) => !isRule(file)),
      readFile(privilegesPath),
    ];
  }
  return applied;
}

export const privilegesPath = 'privileges.sql';

/** The name of the function of a file, which stays the same if the file moves to another folder. */
export const functionOf = ({ path: file }: Pick<SchemaFile, 'path'>): string =>
  path.posix.basename(file, '.sql');
