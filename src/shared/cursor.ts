/**
 * Opaque paging cursors: the sort key of the last row sent, as base64url of a JSON array of strings
 * and integers. A cursor carries nothing secret and grants nothing, so it is not signed: a forged
 * one only names another place to go on from.
 */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key), 'utf8').toString('base64url');
}

/** @returns the sort key, or undefined when the text is no cursor */
export function decodeCursor(text: string): unknown[] | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(key) ? (key as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}
