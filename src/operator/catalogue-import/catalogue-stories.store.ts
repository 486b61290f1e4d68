import type { Queries } from '../../db/operator-transaction';

export interface ListedStory {
  storyId: number;
  number: number;
  title: string;
  status: 'published' | 'archived';
  publishedAt: Date;
}

export type CatalogueStoriesStore = ReturnType<typeof createCatalogueStoriesStore>;

export function createCatalogueStoriesStore(database: Queries) {
  return {
    /** Newest first. */
    async list(projectId: number): Promise<ListedStory[]> {
      const rows = await database.runUnprepared<{
        story_id: number;
        story_number: number;
        title: string;
        status: 'published' | 'archived';
        published_at: Date;
      }>(
        `SELECT s.story_id, s.story_number, s.title, s.status, s.published_at
           FROM stories s WHERE s.project_id = $1 ORDER BY s.published_at DESC, s.story_id DESC`,
        [projectId],
      );
      return rows.map((row) => ({
        storyId: row.story_id,
        number: row.story_number,
        title: row.title,
        status: row.status,
        publishedAt: row.published_at,
      }));
    },

    /** @returns how many stories had another status */
    async setStatus(projectId: number, numbers: readonly number[], status: 'published' | 'archived') {
      const rows = await database.runUnprepared(
        `UPDATE stories SET status = $3
          WHERE project_id = $1 AND story_number = ANY ($2) AND status <> $3
         RETURNING story_id`,
        [projectId, numbers, status],
      );
      return rows.length;
    },
  };
}
