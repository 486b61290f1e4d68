import {
  getProjectsAndStories,
  type GetProjectsAndStoriesQuery,
  type GetProjectsAndStoriesResponse,
} from '../generated/api.js';
import { type List, shortListOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The main component, which an app shows to its users: `GET /projects-stories`. */
export class ProjectsStories {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The projects that the user supports, followed by other projects. Without a `user_hash`, the
   * first four projects. It is one page.
   *
   * @example
   * const { data: projects } = await client.projectsStories.list({ user_hash: user });
   */
  list(params?: GetProjectsAndStoriesQuery, options?: CallOptions): List<GetProjectsAndStoriesResponse> {
    return shortListOf(this.#transport, getProjectsAndStories, { query: params }, options);
  }
}
