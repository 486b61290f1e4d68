import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

import { type StoredFields, storedOf } from '../../src/core/projects/project.fields';
import { listProjects } from '../../src/core/projects/projects.store';
import { encodeCursor } from '../../src/shared/cursor';
import {
  type ProjectSummary,
  readMainComponent,
} from '../../src/core/projects-stories/projects-stories.read-model';
import { completeContribution } from '../../src/core/contributions/complete-contribution.query';
import { createContribution } from '../../src/core/contributions/create-contribution.query';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { settings } from './settings';

/** The body of a create. It is not validated. */
export interface NewContribution {
  project_id: number;
  amount: string;
  user_hash: string;
}

const dollars = (cents: string): string => (Number(cents) / 100).toFixed(2);

interface ListedProject extends StoredFields, ProjectSummary {
  rank: number;
  goalAmountCents: string;
  raisedCents: string;
  supportersCount: string;
  status: string;
  createdAt: Date;
  updatedAt: Date;
}

const presentSummary = (row: ProjectSummary) => ({
  project_id: row.projectId,
  project_name: row.name,
  project_image_url: row.imageUrl,
  is_supported: row.isSupported,
  has_stories: row.hasStories,
  has_unviewed_stories: row.hasUnviewedStories,
});

const present = (row: ListedProject) => ({
  ...presentSummary(row),
  ...storedOf(row),
  goal_amount: dollars(row.goalAmountCents),
  raised_amount: dollars(row.raisedCents),
  supporters_count: Number(row.supportersCount),
  status: row.status,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** Ids are short, so two of the thousands of one second may be equal. If so, generates another. */
async function untilFree(insert: (id: string) => Promise<void>): Promise<string> {
  for (;;) {
    const id = generateTransactionId(settings.tag, new Date());
    try {
      await insert(id);
      return id;
    } catch (error) {
      if ((error as { code?: string }).code !== '23505') throw error;
    }
  }
}

/**
 * Handlers of the rivals that run the service's prepared statements and nothing else. They do not
 * validate rows.
 */
export function createOperations(pool: Pool) {
  const { environmentId, apiKey } = settings;
  const run = async <Row extends object>(
    { name, text }: { name: string; text: string },
    values: unknown[],
  ): Promise<Row[]> => (await pool.query<Row>({ name, text, values })).rows;

  return {
    async mainComponent(userHash: string | undefined) {
      const rows = await run<ProjectSummary>(readMainComponent, [environmentId, userHash ?? null]);
      return { data: rows.map(presentSummary) };
    },

    async projects(limit: number) {
      const rows = await run<ListedProject>(listProjects, [
        environmentId,
        null,
        -2_147_483_648,
        0,
        limit + 1,
      ]);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = rows.length > limit;
      return {
        data: shown.map(present),
        has_more: hasMore,
        next_cursor: hasMore && last ? encodeCursor([last.rank, last.projectId]) : null,
      };
    },

    async create({ project_id, amount, user_hash }: NewContribution) {
      const cents = Math.round(Number(amount) * 100);
      const id = await untilFree(async (id) => {
        await run(createContribution, [
          environmentId,
          id,
          project_id,
          cents,
          user_hash,
          null,
          null,
          apiKey,
          uuidv7(),
        ]);
      });
      return { transaction_id: id, status: 'pending' };
    },

    async complete(id: string) {
      await run(completeContribution, [
        environmentId,
        apiKey,
        id.slice(0, 4),
        id,
        null,
        null,
        null,
        uuidv7(),
      ]);
      return {
        transaction_id: id,
        status: 'completed',
        message: 'The transaction was updated to completed.',
      };
    },
  };
}
