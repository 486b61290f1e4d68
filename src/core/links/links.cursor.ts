import { decodeCursor, encodeCursor } from '../../shared/cursor';
import { isUuid } from '../../shared/uuid';

/** The role of the other company in a link. */
export const linkRoles = ['bank', 'company'] as const;

export type LinkRole = (typeof linkRoles)[number];

/** The end of a page of links. Links are sorted by start in epoch microseconds, role, company. */
export type LinkPageKey = readonly [linkedAtMicroseconds: number, role: LinkRole, companyId: string];

export function writeLinkCursor(key: LinkPageKey): string {
  return encodeCursor(key);
}

/** @returns undefined if the text is not a cursor of a list of links */
export function readLinkCursor(text: string): LinkPageKey | undefined {
  const [at, written, companyId, ...rest] = decodeCursor(text) ?? [];
  const role = linkRoles.find((known) => known === written);
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || role === undefined) return undefined;
  if (!isUuid(companyId) || rest.length > 0) return undefined;
  return [at, role, companyId];
}
