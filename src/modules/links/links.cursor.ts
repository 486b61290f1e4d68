import { decodeCursor, encodeCursor } from '../../shared/cursor';

/** What the other side of a link is to the caller. */
export const linkRoles = ['bank', 'company'] as const;

export type LinkRole = (typeof linkRoles)[number];

/**
 * Where a page of links ends: the order is by start in microseconds since 1970, then by role, then
 * by company.
 */
export type LinkPageKey = readonly [linkedAtMicroseconds: number, role: LinkRole, companyId: string];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function writeLinkCursor(key: LinkPageKey): string {
  return encodeCursor(key);
}

/** @returns undefined when the text is no cursor of a list of links */
export function readLinkCursor(text: string): LinkPageKey | undefined {
  const [at, written, companyId, ...rest] = decodeCursor(text) ?? [];
  const role = linkRoles.find((known) => known === written);
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || role === undefined) return undefined;
  if (typeof companyId !== 'string' || !uuid.test(companyId) || rest.length > 0) return undefined;
  return [at, role, companyId];
}
