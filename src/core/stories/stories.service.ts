import { ServiceError } from '../../shared/errors';
import type { StoryPageKey } from './stories.cursor';
import type { StoriesStore, Story } from './stories.store';

export interface StoriesService {
  /** @throws ServiceError resource_not_found if there is no such project */
  list(
    environmentId: number,
    userHash: string | undefined,
    projectId: string,
    page: { limit: number; after: StoryPageKey | undefined },
  ): Promise<{ stories: Story[]; next: StoryPageKey | undefined }>;

  /**
   * Records that a user viewed a story. It is idempotent and ignores archived stories.
   *
   * @throws ServiceError resource_not_found if there is no such story
   */
  recordView(environmentId: number, userHash: string, storyId: string): Promise<void>;
}

export function createStoriesService(store: StoriesStore): StoriesService {
  return {
    async list(environmentId, userHash, projectId, page) {
      const found = await store.list(environmentId, userHash, projectId, page);
      if (!found) throw new ServiceError('resource_not_found', { detail: 'No project has this id.' });
      return found;
    },

    async recordView(environmentId, userHash, storyId) {
      const outcome = await store.recordView(environmentId, userHash, storyId);
      if (outcome === 'story_unknown') {
        throw new ServiceError('resource_not_found', { detail: 'No story has this id.' });
      }
    },
  };
}
