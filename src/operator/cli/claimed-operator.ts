import { hostname, userInfo } from 'node:os';

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}

/**
 * The unverified name that the audit log records beside the database login: the setting OPERATOR,
 * or the account and the machine. With sudo, it includes the account of the person who ran sudo.
 *
 * @param environment the environment variables; only SUDO_USER is read
 */
export function claimedOperator(
  setting: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (setting !== undefined) return setting;
  const { SUDO_USER: person } = environment;
  const account = person === undefined || person === '' ? accountName() : `${person} as ${accountName()}`;
  return `${account}@${hostname()}`.slice(0, 200);
}
