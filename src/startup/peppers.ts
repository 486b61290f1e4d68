import { randomBytes } from 'node:crypto';
import path from 'node:path';

import type { Config } from '../config';
import type { Peppers } from '../modules/key-pairs/credentials';
import { readFileIfThere, writePrivateFile } from './private-file';

/**
 * The configured peppers. Outside production, the service generates one if none is configured, and
 * stores it in the data directory so that credentials survive a restart.
 */
export function peppersOf(config: Config): Peppers {
  if (config.CREDENTIAL_PEPPERS) return config.CREDENTIAL_PEPPERS;
  const file = path.join(config.DATA_DIRECTORY, 'pepper');
  let pepper = readFileIfThere(file);
  if (pepper === undefined) {
    pepper = randomBytes(32).toString('base64url');
    writePrivateFile(file, pepper);
  }
  return new Map([[1, Buffer.from(pepper, 'utf8')]]);
}
