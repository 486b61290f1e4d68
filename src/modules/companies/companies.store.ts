import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { ConstraintViolation } from '../../db/errors';
import { lockCompanies } from '../../db/operator-locks';
import { statement } from '../../db/statement';
import { type EnvironmentKind, environmentKinds } from '../../shared/scopes';
import { generateTransactionTag } from '../../shared/transaction-id';

export interface Company {
  companyId: string;
  name: string;
  environments: Record<EnvironmentKind, number>;
}

/** The operator's changes to companies. Names are unique, so a name identifies a company. */
export interface CompaniesStore {
  /** Creates a company with its two environments; undefined if the name is taken. */
  create(name: string): Promise<Company | undefined>;
  findByName(name: string): Promise<Company | undefined>;
  /**
   * Renames a company; false if no company has the old name.
   *
   * @throws ConstraintViolation if the new name is taken
   */
  rename(name: string, newName: string): Promise<boolean>;
  /**
   * Lets a bank complete a company's contributions in this kind of environment; false if they are
   * already linked.
   */
  linkBank(kind: EnvironmentKind, company: Company, bank: Company): Promise<boolean>;
  /** Ends a link; false if there is none. */
  unlinkBank(kind: EnvironmentKind, company: Company, bank: Company): Promise<boolean>;
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

// The event relay decides by the committed links which environments get an event. This lock, which
// relay_events takes too, stops the relay until the transaction ends.
const holdRelay = statement('hold_relay', `SELECT pg_advisory_xact_lock(1179010376, 2) AS locked`);

// Commits only after all completions from before linked_at have committed. The bank then sees
// either all or none of them.
const linkBank = statement(
  'link_bank',
  `WITH linked AS (
     INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES ($1, $2, $3)
     ON CONFLICT (environment_id, bank_environment_id) WHERE unlinked_at IS NULL DO NOTHING
     RETURNING linked_at
   )
   SELECT linked_at, wait_for_contribution_writers() FROM linked`,
);

const unlinkBank = statement(
  'unlink_bank',
  `UPDATE bank_links SET unlinked_at = GREATEST(statement_timestamp(), linked_at)
    WHERE environment_id = $1 AND bank_environment_id = $2 AND unlinked_at IS NULL
   RETURNING linked_at, unlinked_at`,
);

// Both companies get the event. The simulated bank, whose number is negative, has no feed.
// $1 environment_id, $2 event_id, $3 type, $4 time, $5 bank_environment_id, $6 data
const appendLinkEvent = statement(
  'append_link_event',
  `SELECT append_environment_event($1, $2, $3, $4, array_remove(ARRAY[GREATEST($5::integer, 0)], 0), $6::jsonb) AS done`,
);

interface LinkTimes {
  linked_at: Date;
  unlinked_at?: Date;
}

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
  /** Appends the event of a link change, in the transaction of the change. */
  async function report(
    [times]: readonly LinkTimes[],
    kind: EnvironmentKind,
    company: Company,
    bank: Company,
  ): Promise<boolean> {
    if (!times) return false;
    const { linked_at: linkedAt, unlinked_at: unlinkedAt } = times;
    const data = {
      company_id: company.companyId,
      bank_company_id: bank.companyId,
      linked_at: linkedAt.toISOString(),
      unlinked_at: unlinkedAt?.toISOString() ?? null,
    };
    await database.run(appendLinkEvent, [
      ...[company.environments[kind], uuidv7(), unlinkedAt ? 'bank_link.ended' : 'bank_link.started'],
      ...[unlinkedAt ?? linkedAt, bank.environments[kind], JSON.stringify(data)],
    ]);
    return true;
  }

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

    async linkBank(kind, company, bank) {
      await database.run(holdRelay, []);
      const values = [company.environments[kind], bank.environments[kind], kind];
      return report(await database.run<LinkTimes>(linkBank, values), kind, company, bank);
    },

    async unlinkBank(kind, company, bank) {
      await database.run(holdRelay, []);
      const values = [company.environments[kind], bank.environments[kind]];
      return report(await database.run<LinkTimes>(unlinkBank, values), kind, company, bank);
    },
  };
}
