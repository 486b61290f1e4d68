import { Call } from '../call.js';
import { checkUserHash } from '../checks.js';
import {
  listStories,
  recordStoryView,
  type ListStoriesQuery,
  type ListStoriesResponse,
  type RecordStoryViewBody,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import { checkMembers } from '../names.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** Stories of projects, and who viewed them. */
export class Stories {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Published stories of a project, newest first.
   *
   * @example
   * const stories = client.stories.list(1, { user_hash: user });
   * for await (const story of stories) console.log(story.title);
   */
  list(
    projectId: number | string,
    params?: ListStoriesQuery,
    options?: CallOptions,
  ): List<ListStoriesResponse> {
    return listOf(this.#transport, listStories, { ids: [projectId], query: params }, options);
  }

  /**
   * Records that the user viewed a story. Repeating it changes nothing.
   *
   * @example
   * await client.stories.recordView(5, { user_hash: user });
   */
  recordView(storyId: number | string, params: RecordStoryViewBody, options?: CallOptions): Call<undefined> {
    return new Call(() => {
      checkMembers('params', recordStoryView, params);
      checkUserHash(params.user_hash);
      return this.#transport.send({ operation: recordStoryView, ids: [storyId], body: params }, options);
    });
  }
}
