/**
 * An opaque pagination cursor: the sort key of the last row sent, as a base64url JSON array.
 * Cursors are not signed, because they contain no secrets and grant no access: a forged one only
 * selects another place in the caller's own list.
 */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key), 'utf8').toString('base64url');
}

/** @returns the sort key, or undefined when the text is not a cursor */
export function decodeCursor(text: string): unknown[] | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(key) ? (key as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}
