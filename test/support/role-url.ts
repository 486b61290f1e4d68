import { ownerRole, serviceRole } from '../../src/db/roles';

/** The address of a database of the test run, for one of the roles; global-setup has left the passwords. */
export function roleUrl(role: 'superuser' | 'owner' | 'service', database: string): string {
  const url = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
  url.pathname = `/${database}`;
  if (role !== 'superuser') {
    url.username = role === 'owner' ? ownerRole : serviceRole;
    url.password = process.env[role === 'owner' ? 'TEST_OWNER_PASSWORD' : 'TEST_SERVICE_PASSWORD'] ?? '';
  }
  return url.href;
}
