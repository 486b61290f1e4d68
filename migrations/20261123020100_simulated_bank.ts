import type { Knex } from 'knex';

/** The environment of the built-in bank. Identities start at 1, so no other environment has it. */
const bankId = -1;
const companyId = '019ab000-0000-7000-8000-00000000ba4c';

/**
 * The built-in bank of the sandbox: a company with one environment, for tests only. The foreign
 * keys of `bank_links` thus reject a link in production. It has no key pair and no bank, which two
 * constraints ensure. The completion statement treats it like any other bank.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `INSERT INTO companies (company_id, name)
     SELECT :companyId::uuid, name.candidate
       FROM (VALUES (1, 'Simulated bank'), (2, 'Simulated bank (built in)')) AS name (place, candidate)
      WHERE NOT EXISTS (SELECT FROM companies c WHERE c.name = name.candidate)
      ORDER BY name.place LIMIT 1`,
    { companyId },
  );
  await knex.raw(
    `INSERT INTO environments (environment_id, company_id, kind, transaction_tag) OVERRIDING SYSTEM VALUE
     SELECT :bankId, :companyId::uuid, 'test', tag.candidate
       FROM (VALUES (1, 'ZZZZ'), (2, 'ZZZY'), (3, 'ZZZX'), (4, 'ZZZW')) AS tag (place, candidate)
      WHERE NOT EXISTS (SELECT FROM environments e WHERE e.transaction_tag = tag.candidate)
      ORDER BY tag.place LIMIT 1`,
    { bankId, companyId },
  );
  await knex.raw(`
    ALTER TABLE key_pairs ADD CONSTRAINT key_pairs_none_of_simulated_bank CHECK (environment_id <> ${bankId});
    ALTER TABLE bank_links ADD CONSTRAINT bank_links_none_of_simulated_bank CHECK (environment_id <> ${bankId})`);
}

/** Fails if a company has used the simulated bank: links and contributions are never removed. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE bank_links DROP CONSTRAINT bank_links_none_of_simulated_bank;
    ALTER TABLE key_pairs DROP CONSTRAINT key_pairs_none_of_simulated_bank`);
  await knex.raw('DELETE FROM environments WHERE environment_id = :bankId', { bankId });
  await knex.raw('DELETE FROM companies WHERE company_id = :companyId::uuid', { companyId });
}
