import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { exists, readIfPresent, replaceFile, syncDirectory } from './files';
import type { Place } from './location';

/** Whom one can be on the embedded server. */
export type EmbeddedRole = 'superuser' | 'owner' | 'service';

/** base64url: nothing in them needs escaping, neither in an address nor in SQL. */
export type Passwords = Readonly<Record<EmbeddedRole, string>>;

/** What each role is called on the server. */
export type RoleNames = Readonly<Record<EmbeddedRole, string>>;

/** The passwords of the superuser and of both roles; made up and kept (mode 0600) on first use. */
export async function readOrCreatePasswords(
  dataDirectory: string,
  place: Place,
  roleNames: RoleNames,
): Promise<Passwords> {
  const superuser = await readOrCreate(dataDirectory, roleNames.superuser, async (file) => {
    if (!(await exists(place.cluster))) return;
    throw new Error(
      `The password of the database in ${place.cluster} is missing. Bring ${file} back (from a backup of the data folder), ` +
        `or remove ${place.cluster} to begin with an empty database.`,
    );
  });
  // The superuser gives the roles their passwords at every start, so these files may go missing.
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
