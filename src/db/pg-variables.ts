/** The names of the variables of libpq in this process, in alphabetical order. */
export const pgVariables = (): string[] =>
  Object.keys(process.env)
    .filter((name) => /^PG[A-Z]+$/.test(name))
    .sort();

/**
 * Removes the variables of libpq, which pg reads too, from this process. They describe another
 * server than the embedded one.
 */
export function removePgVariables(): void {
  for (const name of pgVariables()) Reflect.deleteProperty(process.env, name);
}

/**
 * A sentence for an error of a connection, after a full stop: the variables of libpq that apply
 * besides the address. Empty if there are none.
 */
export function noteOnPgVariables(): string {
  const names = pgVariables();
  return names.length === 0 ? '' : ` These environment variables apply too: ${names.join(', ')}.`;
}

/** The settings of PGOPTIONS, which pg sends when an address has no `options`. */
export const pgOptions = (): string => process.env['PGOPTIONS'] ?? '';
