import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { ownerRole, type RolePasswords, serviceRole } from '../roles';
import { exists, readIfPresent, replaceFile, syncDirectory } from './files';
import type { Place } from './location';

/** Whom one can be on the embedded server. */
export type EmbeddedRole = 'superuser' | 'owner' | 'service';

/** base64url: nothing in them needs escaping, neither in an address nor in SQL. */
export type Passwords = RolePasswords & { superuser: string };

export const roleNames: Readonly<Record<EmbeddedRole, string>> = {
  superuser: 'postgres',
  owner: ownerRole,
  service: serviceRole,
};

/** The passwords of the superuser and of both roles; made up and kept (mode 0600) on first use. */
export async function readOrCreatePasswords(dataDirectory: string, place: Place): Promise<Passwords> {
  const superuser = await readOrCreate(dataDirectory, 'superuser', async (file) => {
    if (!(await exists(place.cluster))) return;
    throw new Error(
      `The password of the database in ${place.cluster} is missing. Bring ${file} back (from a backup of the data folder), ` +
        `or remove ${place.cluster} to begin with an empty database.`,
    );
  });
  // The superuser gives the roles their passwords at every start, so these files may go missing.
  const owner = await readOrCreate(dataDirectory, 'owner');
  const service = await readOrCreate(dataDirectory, 'service');
  return { superuser, owner, service };
}

async function readOrCreate(
  dataDirectory: string,
  role: EmbeddedRole,
  beforeCreating: (file: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const file = path.join(dataDirectory, `${roleNames[role]}.password`);
  const kept = (await readIfPresent(file))?.trim();
  if (kept !== undefined && kept !== '') return kept;
  await beforeCreating(file);
  const password = randomBytes(24).toString('base64url');
  await replaceFile(file, `${password}\n`);
  await syncDirectory(dataDirectory);
  return password;
}
