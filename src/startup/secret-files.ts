import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

import { secretNames, type SettingsSchema } from '../service.settings';

/** The environment variables, without empty ones. */
type Given = Readonly<Record<string, string | undefined>>;

/** A larger file is the wrong file. */
const mostBytes = 65_536;

/** @throws Error that does not contain the content */
function readSecret(file: string): string {
  // Opening a pipe would otherwise wait for its writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file');
    const bytes = Buffer.alloc(mostBytes + 1);
    const length = readSync(descriptor, bytes);
    if (length > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
    const text = bytes.toString('utf8', 0, length).replace(/\r?\n$/, '');
    if (text === '') throw new Error('it is empty');
    return text;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the secret settings that come from files. The setting NAME_FILE names the file of NAME. One
 * line break at the end of the file is not part of the secret.
 *
 * @returns all settings, and the problems of the files. No problem contains a secret
 */
export function withSecretFiles(given: Given, schema: SettingsSchema): { given: Given; problems: string[] } {
  const read: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of secretNames(schema)) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) {
      problems.push(`${name}, ${name}_FILE: set only one of them`);
      continue;
    }
    try {
      read[name] = readSecret(file);
    } catch (error) {
      // The value may be the secret itself, by mistake. The messages of the system contain it.
      const { code, message } = error as NodeJS.ErrnoException;
      problems.push(`${name}_FILE: cannot read the file that it names (${code ?? message})`);
    }
  }
  return { given: { ...given, ...read }, problems };
}
