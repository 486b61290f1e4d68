import { type Config, timeoutsOf } from '../../../read-settings';
import type { ConnectionProbe, SessionDefault } from '../../../db/pool/connection-probe';
import {
  serviceSettings,
  sessionSettings,
  type SessionSettings,
  unsetSettings,
} from '../../../db/session-settings';
import type { Finding } from './finding';
import { type Purpose, settingOf } from './findings';

/** pg_settings.source of a default that somebody set for this database or login. */
const setOnPurpose = new Set(['database', 'user', 'database user', 'client']);

const differing = (wanted: SessionSettings, defaults: readonly SessionDefault[]): SessionDefault[] =>
  defaults.filter(({ name, setting }) => wanted[name] !== undefined && wanted[name] !== setting);

/** Whether somebody, or initdb, set it. PostgreSQL's own default is not worth a word. */
const isSet = ({ source }: SessionDefault): boolean => source !== 'default';

const describe = (found: readonly SessionDefault[], wanted: SessionSettings): string =>
  found
    .map(({ name, setting, source }) => `${name} is ${setting} (${source}) instead of ${wanted[name]}`)
    .join(', ');

/**
 * Compares the defaults of a login's sessions with the settings that the program depends on. A
 * default that the program replaces is a warning only if it was set for this database or login,
 * because its author expects an effect.
 */
export function judgeDefaults(purpose: Purpose, { defaults }: ConnectionProbe, config: Config): Finding {
  const check = `${purpose}: session settings`;
  const reliesOnRole = purpose === 'service' && config.DATABASE_TIMEOUTS === 'role';
  const needed = { ...(reliesOnRole ? serviceSettings(timeoutsOf(config)) : {}), ...unsetSettings };
  const wrong = differing(needed, defaults);
  if (wrong.length > 0) {
    const advice = reliesOnRole ? 'run npm run migrate, and make the pooler reconnect. If they remain, ' : '';
    return {
      check,
      status: 'problem',
      detail: `${describe(wrong, needed)}: ${advice}as an administrator, RESET them for the login of ${settingOf[purpose]} and for the database, or correct postgresql.conf`,
    };
  }
  const replaced = differing(sessionSettings, defaults).filter(isSet);
  if (replaced.length === 0) return { check, status: 'ok', detail: 'the defaults are those of the program' };
  return {
    check,
    status: replaced.some(({ source }) => setOnPurpose.has(source)) ? 'warning' : 'ok',
    detail: `the program sets its own values. Other sessions of this login, for example psql, have other defaults: ${describe(replaced, sessionSettings)}`,
  };
}
