import { ServiceError } from '../../shared/errors';
import type { StoryPageKey } from './stories.cursor';
import type { StoriesStore, Story } from './stories.store';

export type StoriesService = ReturnType<typeof createStoriesService>;

export function createStoriesService(store: StoriesStore) {
  return {
    /** @throws ServiceError resource_not_found if there is no such project */
    async list(
      environmentId: number,
      userHash: string | undefined,
      projectId: string,
      page: { limit: number; after: StoryPageKey | undefined },
    ): Promise<{ stories: Story[]; next: StoryPageKey | undefined }> {
      const found = await store.list(environmentId, userHash, projectId, page);
      if (!found) throw new ServiceError('resource_not_found', { detail: 'No project has this id.' });
      return found;
    },

    /**
     * Records that a user viewed a story. It is idempotent and ignores archived stories.
     *
     * @throws ServiceError resource_not_found if there is no such story
     */
    async recordView(environmentId: number, userHash: string, storyId: string) {
      const outcome = await store.recordView(environmentId, userHash, storyId);
      if (outcome === 'story_unknown') {
        throw new ServiceError('resource_not_found', { detail: 'No story has this id.' });
      }
    },
  };
}
