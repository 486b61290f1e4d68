const inherited = ['PATH', 'TZ', 'TMPDIR', 'SystemRoot', 'SystemDrive', 'windir', 'TEMP', 'TMP'];

/**
 * What PostgreSQL's programs get of our environment: not our secrets, not PGDATA and its kin, and
 * no LD_LIBRARY_PATH that would win over the libraries beside the binaries. The C locale keeps
 * messages in English: some of them are recognised.
 */
export function serverEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = inherited.map((name) => [name, process.env[name]] as const);
  return {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    LC_ALL: 'C',
    ...extra,
  };
}
