import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { exists, readIfPresent, replaceFile, syncDirectory } from './files';
import type { ClusterLocation } from './location';

export type EmbeddedRole = 'superuser' | 'owner' | 'service';

/** Passwords in base64url, which needs no escaping in addresses and SQL. */
export type Passwords = Readonly<Record<EmbeddedRole, string>>;

export type RoleNames = Readonly<Record<EmbeddedRole, string>>;

/** The passwords of the three roles, generated and stored (mode 0600) on first use. */
export async function readOrCreatePasswords(
  dataDirectory: string,
  { cluster }: ClusterLocation,
  roleNames: RoleNames,
): Promise<Passwords> {
  const superuser = await readOrCreate(dataDirectory, roleNames.superuser, async (file) => {
    if (!(await exists(cluster))) return;
    throw new Error(
      `The password of the database in ${cluster} is missing. Restore ${file} from a backup of the data folder, ` +
        `or remove ${cluster} to start with an empty database.`,
    );
  });
  // Every start sets these two passwords again, so the loss of their files is harmless.
  const owner = await readOrCreate(dataDirectory, roleNames.owner);
  const service = await readOrCreate(dataDirectory, roleNames.service);
  return { superuser, owner, service };
}

async function readOrCreate(
  dataDirectory: string,
  roleName: string,
  beforeCreating: (file: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const file = path.join(dataDirectory, `${roleName}.password`);
  const kept = (await readIfPresent(file))?.trim();
  if (kept !== undefined && kept !== '') return kept;
  await beforeCreating(file);
  const password = randomBytes(24).toString('base64url');
  await replaceFile(file, `${password}\n`);
  await syncDirectory(dataDirectory);
  return password;
}
