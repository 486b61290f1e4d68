import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { exists, readIfPresent, replaceFile, syncDirectory } from './files';
import type { ClusterLocation } from './location';

/** Passwords in base64url, which needs no escaping in addresses and SQL. */
export type Passwords<Role extends string> = Readonly<Record<Role, string>>;

/** The passwords of the roles, generated and stored (mode 0600) on first use. */
export async function readOrCreatePasswords<Role extends string>(
  dataDirectory: string,
  { cluster }: ClusterLocation,
  roleNames: Readonly<Record<Role | 'superuser', string>>,
): Promise<Passwords<Role | 'superuser'>> {
  const passwords: Record<string, string> = {};
  for (const [role, name] of Object.entries<string>(roleNames)) {
    // Every start sets the other passwords again, so the loss of their files is harmless.
    passwords[role] = await readOrCreate(dataDirectory, name, role === 'superuser' ? cluster : undefined);
  }
  return passwords as Passwords<Role | 'superuser'>;
}

/** @param cluster created with the password, which cannot be set again */
async function readOrCreate(dataDirectory: string, roleName: string, cluster?: string): Promise<string> {
  const file = path.join(dataDirectory, `${roleName}.password`);
  const kept = (await readIfPresent(file))?.trim();
  if (kept !== undefined && kept !== '') return kept;
  if (cluster !== undefined && (await exists(cluster))) {
    throw new Error(
      `The password of the database in ${cluster} is missing. Restore ${file} from a backup of the data folder, ` +
        `or remove ${cluster} to start with an empty database.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  await replaceFile(file, `${password}\n`);
  await syncDirectory(dataDirectory);
  return password;
}
