import type { Routes } from '../../http/routes';
import { resolveUrl } from '../../http/urls';
import { ServiceError } from '../../shared/errors';
import { storiesContract } from './stories.contract';
import type { StoriesStore, Story } from './stories.store';

/** Adds the operations of this module to the API. */
export function storiesRoutes(routes: Routes, stories: StoriesStore, publicBaseUrl: string): void {
  const present = (story: Story) => ({
    story_id: story.storyId,
    title: story.title,
    body: story.body,
    image_url: story.imageUrl === null ? null : resolveUrl(publicBaseUrl, story.imageUrl),
    published_at: story.publishedAt.toISOString(),
    is_viewed: story.isViewed,
  });

  routes.bind(storiesContract.list).to(async ({ principal, params, query }) => {
    const page = await stories.list(principal.environmentId, query.user_hash, params.project_id, {
      limit: query.limit,
      after: query.cursor,
    });
    if (!page) throw new ServiceError('resource_not_found', { detail: 'No project has this id.' });
    return {
      status: 200,
      body: { ...page, data: page.data.map(present) },
    };
  });

  routes.bind(storiesContract.recordView).to(async ({ principal, params, body }) => {
    const isKnown = await stories.recordView(principal.environmentId, body.user_hash, params.story_id);
    if (!isKnown) throw new ServiceError('resource_not_found', { detail: 'No story has this id.' });
    return { status: 204 };
  });
}
