import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { EnvironmentKind } from '../../shared/scopes';

/** A company, as one of the two sides of a link. */
export interface LinkSide {
  companyId: string;
  environments: Record<EnvironmentKind, number>;
}

/** A link between two companies: active, ended, or voided as a mistake. */
export interface BankLink {
  /** The exact start, as text. It identifies the link among those of the two companies. */
  key: string;
  linkedAt: Date;
  unlinkedAt: Date | null;
  voidedAt: Date | null;
}

/** The operator's changes to links. */
export type BankLinksStore = ReturnType<typeof createBankLinksStore>;

// The event relay decides by the committed links which environments get an event. This lock, which
// relay_events takes too, stops the relay until the transaction ends.
const holdRelay = query('hold_relay', `SELECT pg_advisory_xact_lock(1179010376, 2) AS locked`);

// Commits only after all completions from before linked_at have committed. The bank then sees
// either all or none of them.
const linkBank = query(
  'link_bank',
  `WITH linked AS (
     INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES ($1, $2, $3)
     ON CONFLICT (environment_id, bank_environment_id) WHERE unlinked_at IS NULL DO NOTHING
     RETURNING linked_at
   )
   SELECT linked_at, wait_for_contribution_writers() FROM linked`,
);

// Commits only after all completions from before unlinked_at have committed.
const unlinkBank = query(
  'unlink_bank',
  `WITH unlinked AS (
     UPDATE bank_links SET unlinked_at = GREATEST(statement_timestamp(), linked_at)
      WHERE environment_id = $1 AND bank_environment_id = $2 AND unlinked_at IS NULL
     RETURNING linked_at, unlinked_at
   )
   SELECT linked_at, unlinked_at, wait_for_contribution_writers() FROM unlinked`,
);

// $1 environment_id, $2 bank_environment_id, $3 the exact start
const voidLink = query(
  'void_bank_link',
  `WITH voided AS (
     UPDATE bank_links SET voided_at = GREATEST(statement_timestamp(), unlinked_at)
      WHERE environment_id = $1 AND bank_environment_id = $2 AND linked_at = $3::timestamptz
        AND unlinked_at IS NOT NULL AND voided_at IS NULL
     RETURNING linked_at, unlinked_at, voided_at
   )
   SELECT linked_at, unlinked_at, voided_at, wait_for_contribution_writers() FROM voided`,
);

// $1 environment_id, $2 bank_environment_id
const listLinksBetween = query(
  'list_links_between',
  `SELECT l.linked_at::text AS key, l.linked_at AS "linkedAt", l.unlinked_at AS "unlinkedAt",
          l.voided_at AS "voidedAt"
     FROM bank_links l WHERE l.environment_id = $1 AND l.bank_environment_id = $2
    ORDER BY l.linked_at`,
);

// Both companies get the event. The simulated bank, whose number is negative, has no feed.
// $1 environment_id, $2 event_id, $3 type, $4 time, $5 bank_environment_id, $6 data
const appendLinkEvent = query(
  'append_link_event',
  `SELECT append_environment_event($1, $2, $3, $4, array_remove(ARRAY[GREATEST($5::integer, 0)], 0), $6::jsonb) AS done`,
);

interface LinkTimes {
  linked_at: Date;
  unlinked_at?: Date;
  voided_at?: Date;
}

export function createBankLinksStore(database: Pick<Database, 'run'>) {
  /** Appends the event of a link change at this time, in the transaction of the change. */
  async function report(
    { linked_at: linkedAt, unlinked_at: unlinkedAt, voided_at: voidedAt }: LinkTimes,
    at: Date,
    kind: EnvironmentKind,
    company: LinkSide,
    bank: LinkSide,
  ): Promise<void> {
    const data = {
      company_id: company.companyId,
      bank_company_id: bank.companyId,
      linked_at: linkedAt.toISOString(),
      unlinked_at: unlinkedAt?.toISOString() ?? null,
      ...(voidedAt ? { mistake: true } : {}),
    };
    await database.run(appendLinkEvent, [
      ...[company.environments[kind], uuidv7(), unlinkedAt ? 'bank_link.ended' : 'bank_link.started'],
      ...[at, bank.environments[kind], JSON.stringify(data)],
    ]);
  }

  return {
    /**
     * Lets a bank complete a company's contributions in this kind of environment; false if they are
     * already linked.
     */
    async linkBank(kind: EnvironmentKind, company: LinkSide, bank: LinkSide) {
      await database.run(holdRelay, []);
      const values = [company.environments[kind], bank.environments[kind], kind];
      const [times] = await database.run<LinkTimes>(linkBank, values);
      if (times) await report(times, times.linked_at, kind, company, bank);
      return times !== undefined;
    },

    /** Ends a link; false if there is none. */
    async unlinkBank(kind: EnvironmentKind, company: LinkSide, bank: LinkSide) {
      await database.run(holdRelay, []);
      const values = [company.environments[kind], bank.environments[kind]];
      const [times] = await database.run<Required<LinkTimes>>(unlinkBank, values);
      if (times) await report(times, times.unlinked_at, kind, company, bank);
      return times !== undefined;
    },

    /** Voids a link, after it ends an active one. Undefined if it was voided before. */
    async voidLink(
      kind: EnvironmentKind,
      company: LinkSide,
      bank: LinkSide,
      { key, unlinkedAt }: BankLink,
    ): Promise<BankLink | undefined> {
      await database.run(holdRelay, []);
      const sides = [company.environments[kind], bank.environments[kind]];
      if (unlinkedAt === null) await database.run(unlinkBank, sides);
      const [times] = await database.run<Required<LinkTimes>>(voidLink, [...sides, key]);
      if (!times) return undefined;
      // Both companies know already when a former link ended. This event happens now.
      const at = unlinkedAt === null ? times.unlinked_at : times.voided_at;
      await report(times, at, kind, company, bank);
      return { key, linkedAt: times.linked_at, unlinkedAt: times.unlinked_at, voidedAt: times.voided_at };
    },

    /** Lets other link changes wait until the transaction ends. */
    async hold() {
      await database.run(holdRelay, []);
    },

    /** All links between the two, oldest first. */
    between: (kind: EnvironmentKind, company: LinkSide, bank: LinkSide) =>
      database.run<BankLink>(listLinksBetween, [company.environments[kind], bank.environments[kind]]),
  };
}
