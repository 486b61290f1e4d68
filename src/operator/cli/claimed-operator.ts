import { hostname, userInfo } from 'node:os';

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}

/**
 * Who says to run the command: the setting OPERATOR, or the account and the machine. Behind sudo
 * the account is the person's own. It is recorded as an unverified note beside the database login.
 *
 * @param environment of which SUDO_USER is read
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
