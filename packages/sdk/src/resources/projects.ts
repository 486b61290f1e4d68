import { Call } from '../call.js';
import {
  getProject,
  listProjects,
  type GetProjectResponse,
  type ListProjectsQuery,
  type ListProjectsResponse,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { Transport } from '../transport.js';

/** Options that add members to the response of `projects.get`. */
export interface GetProjectOptions extends CallOptions {
  /** Adds `highlights`. */
  highlights?: boolean | undefined;
  /** Adds `description`. */
  description?: boolean | undefined;
  /** Makes `is_supported` and `has_unviewed_stories` describe this user. */
  user_hash?: string | undefined;
}

/** The catalogue. */
export class Projects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Active projects, in the operator's order.
   *
   * @example
   * for await (const project of client.projects.list()) console.log(project.project_name);
   */
  list(query?: ListProjectsQuery, options?: CallOptions): List<ListProjectsResponse> {
    return listOf(this.#transport, listProjects, { query }, options);
  }

  /**
   * One project, even if it is archived.
   *
   * @throws RequestRejected with `resource_not_found`
   * @example
   * const project = await client.projects.get(1, { highlights: true });
   */
  get(projectId: number | string, options: GetProjectOptions = {}): Call<GetProjectResponse> {
    return new Call(() => {
      const callOptions = callOptionsOf(options, 'highlights description user_hash');
      const { highlights, description, user_hash } = options;
      const query = { highlights, description, user_hash };
      return this.#transport.send(
        { operation: getProject, ids: [projectId], query, has: 'project_id' },
        callOptions,
      );
    });
  }
}
