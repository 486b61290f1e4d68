import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Knex } from 'knex';

/** The folder beside `src`, both in the sources and in the build. */
const databaseDirectory = path.join(__dirname, '..', '..', '..', 'database');

/** A file of `database/`, which is the source of a part of the schema. */
export interface SchemaFile {
  /** Relative to `database/`, such as `functions/events/append_to_feed.sql`. */
  path: string;
  text: string;
}

function readFiles(folder: string): SchemaFile[] {
  return readdirSync(path.join(databaseDirectory, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
    .sort()
    .map(readFile);
}

const readFile = (file: string): SchemaFile => ({
  path: file,
  text: readFileSync(path.join(databaseDirectory, file), 'utf8').replaceAll('\r\n', '\n'),
});

/** The tables of the first release, in the order in which they are created. */
export const tableFiles = (): SchemaFile[] => readFiles('tables');

/** The current functions, one in each file, with their triggers. Those of `rules/` come first. */
export function functionFiles(): SchemaFile[] {
  const isRule = ({ path: file }: SchemaFile): boolean => file.startsWith('functions/rules/');
  const files = readFiles('functions');
  return [...files.filter(isRule), ...files.filter((file) => !isRule(file))];
}

export const privilegesFile = (): SchemaFile => readFile('privileges.sql');

/** The name of the function of a file. */
export const nameOf = ({ path: file }: SchemaFile): string => path.posix.basename(file, '.sql');

/** Runs all statements of a file. */
export async function runFile(knex: Knex, { text }: SchemaFile): Promise<void> {
  // Knex would take a question mark as a parameter.
  await knex.raw(text.replaceAll('?', '\\?'));
}
