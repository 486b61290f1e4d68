import { hostname, userInfo } from 'node:os';

/** Who runs the command: the setting OPERATOR, or the account and the machine. */
export function operatorName(setting: string | undefined): string {
  if (setting !== undefined) return setting;
  let account = 'unknown';
  try {
    account = userInfo().username;
  } catch {
    account = `uid ${process.getuid?.() ?? '?'}`;
  }
  return `${account}@${hostname()}`.slice(0, 200);
}
