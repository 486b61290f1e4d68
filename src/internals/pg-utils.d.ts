/** What `pg` makes of a value before it sends it, which its own types leave out. */
declare module 'pg/lib/utils' {
  export function prepareValue(value: unknown): string | Buffer | null;
}
