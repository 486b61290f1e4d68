const inherited = ['PATH', 'TZ', 'TMPDIR', 'SystemRoot', 'SystemDrive', 'windir', 'TEMP', 'TMP'];

/**
 * The environment of PostgreSQL's programs. It contains no secrets, no PG* variables, and no
 * LD_LIBRARY_PATH, which would override the libraries beside the binaries. The C locale keeps
 * messages in English, because this folder matches some of them.
 */
export function serverEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = inherited.map((name) => [name, process.env[name]] as const);
  return {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    LC_ALL: 'C',
    ...extra,
  };
}
