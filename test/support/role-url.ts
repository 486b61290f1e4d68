import { ownerRole, serviceRole } from '../../src/db/roles/roles';

/** The login of the tests' only operator, a member of the operators' group. */
export const operatorLogin = 'test_operator';

const logins = {
  owner: [ownerRole, 'TEST_OWNER_PASSWORD'],
  operator: [operatorLogin, 'TEST_OPERATOR_PASSWORD'],
  service: [serviceRole, 'TEST_SERVICE_PASSWORD'],
} as const;

/** The URL of a test database for one of the roles. The passwords are from global-setup. */
export function roleUrl(role: 'superuser' | keyof typeof logins, database: string): string {
  const url = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
  url.pathname = `/${database}`;
  if (role !== 'superuser') {
    const [login, password] = logins[role];
    url.username = login;
    url.password = process.env[password] ?? '';
  }
  return url.href;
}
