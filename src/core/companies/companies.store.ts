import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { violates } from '../../db/errors';
import { lockCompanies } from '../../db/operator-locks';
import { query } from '../../db/query';
import { type EnvironmentKind, environmentKinds } from '../../shared/scopes';
import { isCompany } from './company.query';
import { generateTransactionTag } from '../../shared/transaction-id';
import { createBankLinksStore, type LinkSide } from './bank-links.store';

export interface Company extends LinkSide {
  name: string;
}

/** Changes companies and their links for operators. A name or a company_id identifies a company. */
export type CompaniesStore = ReturnType<typeof createCompaniesStore>;

const createCompany = query(
  'create_company',
  `WITH company AS (
     INSERT INTO companies (company_id, name) VALUES ($1, $2)
     ON CONFLICT DO NOTHING
     RETURNING company_id
   )
   INSERT INTO environments (company_id, kind, transaction_tag)
   SELECT company.company_id, environment.kind, environment.tag
     FROM company CROSS JOIN unnest($3::text[], $4::text[]) AS environment (kind, tag)
   RETURNING company_id, kind, environment_id`,
);

// Prevents resets from retiring an environment until the transaction of the operator's command
// ends.
const keepEnvironments = query(
  'keep_environments',
  `SELECT pg_advisory_xact_lock_shared(hashtextextended('environments', 0)) AS locked`,
);

const findCompany = query(
  'find_company',
  `SELECT e.company_id, c.name, e.kind, e.environment_id
     FROM companies c JOIN environments e USING (company_id)
    WHERE ${isCompany('c', '$1')} AND e.retired_at IS NULL`,
);

const renameCompany = query('rename_company', 'UPDATE companies SET name = $2 WHERE company_id = $1');

const deleteCompany = query('delete_company', 'SELECT delete_company($1) AS deleted', { writes: true });

interface EnvironmentRow {
  company_id: string;
  kind: EnvironmentKind;
  environment_id: number;
}

function toCompany(name: string, rows: readonly EnvironmentRow[]): Company | undefined {
  const of = (kind: EnvironmentKind) => rows.find((row) => row.kind === kind);
  const production = of('production');
  const test = of('test');
  if (!production || !test) return undefined;
  const environments = { production: production.environment_id, test: test.environment_id };
  return { companyId: production.company_id, name, environments };
}

export function createCompaniesStore(database: Pick<Database, 'run'>) {
  /** @param name or company_id; the result has the name as stored */
  async function find(name: string): Promise<Company | undefined> {
    await database.run(keepEnvironments, []);
    const rows = await database.run<EnvironmentRow & { name: string }>(findCompany, [name]);
    return toCompany(rows[0]?.name ?? name, rows);
  }

  return {
    /** Creates a company with its two environments; undefined if the name is taken. */
    async create(name: string) {
      await database.run(lockCompanies, []);
      for (;;) {
        const tags = environmentKinds.map(() => generateTransactionTag());
        try {
          const values = [uuidv7(), name, environmentKinds, tags];
          return toCompany(name, await database.run<EnvironmentRow>(createCompany, values));
        } catch (error) {
          // The drawn tag is already taken, because there are only 720,896. Nothing was recorded,
          // so draw again.
          if (!violates(error, 'environments_transaction_tag_key')) throw error;
        }
      }
    },

    /**
     * @returns the former name; undefined if there is no such company
     * @throws ConstraintViolation if the new name is taken
     */
    async rename(name: string, newName: string) {
      await database.run(lockCompanies, []);
      const company = await find(name);
      if (company) await database.run(renameCompany, [company.companyId, newName]);
      return company?.name;
    },

    /**
     * @returns the deleted company; undefined if there is none
     * @throws ConstraintViolation if something refers to the company
     */
    async delete(name: string) {
      await database.run(lockCompanies, []);
      const company = await find(name);
      if (company) await database.run(deleteCompany, [company.companyId]);
      return company;
    },

    find,
    ...createBankLinksStore(database),
  };
}
