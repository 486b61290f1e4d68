import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { ConstraintViolation } from '../../db/errors';
import { lockCompanies } from '../../db/operator-locks';
import { statement } from '../../db/statement';
import { type EnvironmentKind, environmentKinds } from '../../shared/scopes';
import { generateTransactionTag } from '../../shared/transaction-id';
import { type BankLinksStore, createBankLinksStore } from './bank-links.store';

export interface Company {
  companyId: string;
  name: string;
  environments: Record<EnvironmentKind, number>;
}

/** The operator's changes to companies. Names are unique, so a name identifies a company. */
export interface CompaniesStore extends Pick<BankLinksStore, 'linkBank' | 'unlinkBank'> {
  /** Creates a company with its two environments; undefined if the name is taken. */
  create(name: string): Promise<Company | undefined>;
  findByName(name: string): Promise<Company | undefined>;
  /**
   * Renames a company; false if no company has the old name.
   *
   * @throws ConstraintViolation if the new name is taken
   */
  rename(name: string, newName: string): Promise<boolean>;
}

const createCompany = statement(
  'create_company',
  `WITH company AS (
     INSERT INTO companies (company_id, name) VALUES ($1, $2)
     ON CONFLICT ON CONSTRAINT companies_name_key DO NOTHING
     RETURNING company_id
   )
   INSERT INTO environments (company_id, kind, transaction_tag)
   SELECT company.company_id, environment.kind, environment.tag
     FROM company CROSS JOIN unnest($3::text[], $4::text[]) AS environment (kind, tag)
   RETURNING company_id, kind, environment_id`,
);

// Prevents resets from retiring an environment until the transaction of the operator's command
// ends.
const keepEnvironments = statement(
  'keep_environments',
  `SELECT pg_advisory_xact_lock_shared(hashtextextended('environments', 0)) AS locked`,
);

const findCompany = statement(
  'find_company',
  `SELECT e.company_id, e.kind, e.environment_id
     FROM companies c JOIN environments e USING (company_id) WHERE c.name = $1 AND e.retired_at IS NULL`,
);

const renameCompany = statement(
  'rename_company',
  'UPDATE companies SET name = $2 WHERE name = $1 RETURNING company_id',
);

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

export function createCompaniesStore(database: Pick<Database, 'run'>): CompaniesStore {
  const links = createBankLinksStore(database);
  return {
    async create(name) {
      await database.run(lockCompanies, []);
      for (;;) {
        const tags = environmentKinds.map(() => generateTransactionTag());
        try {
          const values = [uuidv7(), name, environmentKinds, tags];
          return toCompany(name, await database.run<EnvironmentRow>(createCompany, values));
        } catch (error) {
          // The drawn tag is already taken, because there are only 720,896. Nothing was recorded,
          // so draw again.
          const collided =
            error instanceof ConstraintViolation && error.constraint === 'environments_transaction_tag_key';
          if (!collided) throw error;
        }
      }
    },

    async rename(name, newName) {
      await database.run(lockCompanies, []);
      return (await database.run(renameCompany, [name, newName])).length > 0;
    },

    async findByName(name) {
      await database.run(keepEnvironments, []);
      return toCompany(name, await database.run<EnvironmentRow>(findCompany, [name]));
    },

    linkBank: (...link) => links.linkBank(...link),
    unlinkBank: (...link) => links.unlinkBank(...link),
  };
}
