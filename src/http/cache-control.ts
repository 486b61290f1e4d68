/**
 * Catalogue answers may be kept by the caller and asked about again; what is about a user is kept nowhere.
 * `private`, because API-Key is not the Authorization header: a shared cache would keep the answer for everybody.
 */
export function catalogueCacheControl(userHash: string | undefined): Record<string, string> {
  return { 'Cache-Control': userHash === undefined ? 'private, no-cache' : 'no-store' };
}
