/** Converts a value to the form in which `pg` sends it. The types of `pg` omit this module. */
declare module 'pg/lib/utils' {
  export function prepareValue(value: unknown): string | Buffer | null;
}
