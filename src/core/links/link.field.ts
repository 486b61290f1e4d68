import { z } from 'zod';

import { linkRoles } from './links.cursor';
import type { Link } from './links.store';

/** An active bank link in a response. */
export const link = z
  .strictObject({
    role: z.enum(linkRoles).meta({
      description:
        'The role of the other company. A `bank` completes your contributions. You complete those of a `company`.',
    }),
    company_id: z.uuid(),
    company_name: z.string(),
    linked_at: z.iso.datetime().meta({ description: 'When the link started' }),
  })
  .meta({ id: 'Link' });

export const linkExample = {
  role: 'company',
  company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  company_name: 'Brightside Apps',
  linked_at: '2026-11-01T08:00:00.000Z',
} as const;

export const presentLink = ({ role, companyId, companyName, linkedAt }: Link): z.output<typeof link> => ({
  role,
  company_id: companyId,
  company_name: companyName,
  linked_at: linkedAt.toISOString(),
});
