import type { Client } from 'pg';

import { shareBounds, type Size } from './size';
import { scopesOfKind } from '../../test/support/scopes';

const tagAlphabet = 'ABCDEFGHJKMNPQRSTVWXYZ';
const tagOf = (place: number): string => {
  let text = '';
  for (let rest = place; text.length < 4; rest = Math.floor(rest / 22))
    text = tagAlphabet.charAt(rest % 22) + text;
  return text;
};

/** A company's production environment, and the ranges of its users and supports. */
export interface Company {
  environmentId: number;
  tag: string;
  apiKey: string;
  firstUser: number;
  users: number;
  firstSupport: number;
  supports: number;
}

/** Ordered by size, largest first. */
export function companiesOf(size: Size): Company[] {
  const bounds = shareBounds(size.companies);
  const at = (whole: number, place: number): number => Math.round(whole * (bounds[place] ?? 1));
  return Array.from({ length: size.companies }, (_, place) => ({
    environmentId: 2 * place + 1,
    tag: tagOf(2 * place),
    apiKey: `cpk_production_${String(place).padStart(22, '0')}`,
    firstUser: at(size.users, place) + 1,
    users: at(size.users, place + 1) - at(size.users, place),
    firstSupport: at(size.supports, place),
    supports: at(size.supports, place + 1) - at(size.supports, place),
  }));
}

/**
 * Inserts the companies with two environments and a production key pair with an unknown secret. All
 * generated data is in production. `bench.environments` stores which data belongs to which company.
 */
export async function addCompanies(client: Client, size: Size): Promise<void> {
  const rows = companiesOf(size).map((company, place) => ({
    place,
    tag: company.tag,
    test_tag: tagOf(2 * place + 1),
    api_key: company.apiKey,
    first_user: company.firstUser,
    users: company.users,
    first_support: company.firstSupport,
    supports: company.supports,
  }));
  await client.query(
    `CREATE SCHEMA bench;
     CREATE TABLE bench.environments (
       environment_id integer PRIMARY KEY,
       tag text NOT NULL,
       api_key text NOT NULL,
       first_user bigint NOT NULL,
       users bigint NOT NULL,
       first_support bigint NOT NULL,
       supports bigint NOT NULL
     )`,
  );
  await client.query(
    `WITH given AS (
       SELECT *, ('00000000-0000-7000-8000-' || lpad(to_hex(place), 12, '0'))::uuid AS company_id
         FROM json_to_recordset($1) AS r (place integer, tag text, test_tag text, api_key text, first_user bigint, users bigint,
                                         first_support bigint, supports bigint)
     ),
     company AS (
       INSERT INTO companies (company_id, name, created_at)
       SELECT company_id, 'Company ' || place + 1, '2025-12-01Z' FROM given
     ),
     environment AS (
       INSERT INTO environments (environment_id, company_id, kind, transaction_tag, created_at) OVERRIDING SYSTEM VALUE
       SELECT 2 * place + 1, company_id, 'production', tag, timestamptz '2025-12-01Z' FROM given
       UNION ALL
       SELECT 2 * place + 2, company_id, 'test', test_tag, '2025-12-01Z' FROM given
     ),
     key_pair AS (
       INSERT INTO key_pairs (api_key, environment_id, secret_hmac, pepper_version, scopes, slot, created_at)
       SELECT api_key, 2 * place + 1, sha256(convert_to(api_key, 'UTF8')), 1, $2::text[], 1, '2025-12-01Z' FROM given
     )
     INSERT INTO bench.environments
     SELECT 2 * place + 1, tag, api_key, first_user, users, first_support, supports FROM given`,
    [JSON.stringify(rows), scopesOfKind('production')],
  );
}
