import { ensureRoles, operatorRole } from '../../../src/db/roles/roles';
import { operatorLogin } from '../role-url';
import { onDatabase } from './databases';

/** Creates the production roles and the tests' operator on every node of an empty cluster. */
export async function createRoles(
  urls: readonly string[],
  passwords: { owner: string; service: string; operator: string },
): Promise<void> {
  for (const url of urls) {
    await onDatabase(url, async (client) => {
      await ensureRoles(client, passwords);
      await client.query(
        `CREATE ROLE ${operatorLogin} LOGIN PASSWORD '${passwords.operator}' IN ROLE ${operatorRole}`,
      );
    });
  }
}
