import { randomBytes } from 'node:crypto';
import path from 'node:path';

import type { Config } from '../read-settings';
import type { Peppers } from '../core/key-pairs/credentials';
import { readFileIfThere, writePrivateFile } from './private-file';

/**
 * The configured peppers. Outside production, the service generates one if none is configured, and
 * stores it in the data directory so that credentials survive a restart.
 */
export function peppersOf(config: Config): Peppers {
  return config.CREDENTIAL_PEPPERS ?? storedKeyOf(config, 'pepper');
}

/** A key in a file of the data directory, as version 1. Generates it if there is none. */
export function storedKeyOf(config: Pick<Config, 'DATA_DIRECTORY'>, name: string): Map<number, Buffer> {
  const file = path.join(config.DATA_DIRECTORY, name);
  let key = readFileIfThere(file);
  if (key === undefined) {
    key = randomBytes(32).toString('base64url');
    writePrivateFile(file, key);
  }
  return new Map([[1, Buffer.from(key, 'utf8')]]);
}
