import { z } from 'zod';

import { cursorReader } from '../../shared/cursor';

/** The role of the other company in a link. */
export const linkRoles = ['bank', 'company'] as const;

export type LinkRole = (typeof linkRoles)[number];

/** The end of a page of links. Links are sorted by start in epoch microseconds, role, company. */
export type LinkPageKey = readonly [linkedAtMicroseconds: number, role: LinkRole, companyId: string];

export const readLinkCursor = cursorReader<LinkPageKey>(z.tuple([z.int(), z.enum(linkRoles), z.guid()]));
