import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { environmentKinds, type Scope } from '../../shared/scopes';
import { link } from '../links/link.field';

/** The links in the response. `GET /links` lists all of them. */
export const shownLinks = 100;

const rateLimit = z.strictObject({
  per_second: z.number().meta({ description: 'Requests per second' }),
  burst: z.number().meta({ description: 'The most requests at once, after a pause' }),
});

/** @param scopes all that a pair can have */
const me = (scopes: readonly Scope[]) =>
  z
    .strictObject({
      company: z.strictObject({
        company_id: z.uuid(),
        company_name: z.string(),
        status: z.enum(['active', 'suspended']).meta({
          description: 'A `suspended` company cannot create contributions. All other operations work.',
        }),
      }),
      environment: z.enum(environmentKinds),
      transaction_id_prefix: z.string().meta({
        description: 'The first characters of the `transaction_id` of every contribution of this environment',
      }),
      key_pair: z.strictObject({
        api_key: z.string(),
        scopes: z.array(z.enum(scopes)),
        created_at: z.iso.datetime(),
        expires_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'When the pair stops working; null if it does not expire' }),
      }),
      links: z
        .strictObject({ data: z.array(link), has_more: z.boolean() })
        .nullable()
        .meta({
          description: `The first ${shownLinks} bank links, oldest first. If \`has_more\` is true, read \`GET /links\`. Null if the pair lacks the scope \`contributions:read\``,
        }),
      rate_limits: z.strictObject({
        requests: rateLimit,
        completions: rateLimit,
        batches: rateLimit,
      }),
      service_version: z.string().meta({ description: 'The version of the service and of this API' }),
    })
    .meta({ id: 'Me' });

export const meContract = (scopes: readonly Scope[]) => ({
  get: endpoint({
    operationId: 'getMe',
    method: 'get',
    path: '/company/integration/me',
    summary: 'Show who you are',
    description:
      'Shows what your key pair stands for: company, environment, scopes, expiry, bank links and rate limits. It never shows a secret. Every valid pair may call it. A frozen company gets 503 `company_frozen`, as for every request.',
    origin: 'addition',
    scope: null,
    responses: {
      200: {
        description: 'The caller.',
        body: me(scopes),
        example: {
          company: {
            company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
            company_name: 'Brightside Apps',
            status: 'active',
          },
          environment: 'test',
          transaction_id_prefix: 'K7Q2',
          key_pair: {
            api_key: 'cpk_test_…',
            scopes: ['projects:read', 'contributions:create', 'contributions:read', 'events:read'],
            created_at: '2026-11-01T08:00:00.000Z',
            expires_at: null,
          },
          links: {
            data: [
              {
                role: 'bank',
                company_id: '019aa1b2-6b2c-7d3e-9f4a-5b6c7d8e9f0a',
                company_name: 'First Harbor Bank',
                linked_at: '2026-11-01T08:00:00.000Z',
              },
            ],
            has_more: false,
          },
          rate_limits: {
            requests: { per_second: 100, burst: 200 },
            completions: { per_second: 2000, burst: 4000 },
            batches: { per_second: 4, burst: 8 },
          },
          service_version: '0.1.0',
        },
      },
    },
    errors: ['invalid_request'],
  }),
});
