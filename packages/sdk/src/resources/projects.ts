import { type Call, start } from '../call.js';
import {
  getProject,
  listProjects,
  type GetProjectQuery,
  type GetProjectResponse,
  type ListProjectsQuery,
  type ListProjectsResponse,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** Parameters that add members to a project. */
export interface GetProjectParams extends Omit<GetProjectQuery, 'highlights' | 'description'> {
  /** Adds `highlights`. */
  highlights?: boolean | undefined;
  /** Adds `description`. */
  description?: boolean | undefined;
}

/** The catalogue of projects. */
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
  list(params?: ListProjectsQuery, options?: CallOptions): List<ListProjectsResponse> {
    return listOf(this.#transport, listProjects, { query: params }, options);
  }

  /**
   * One project, even if it is archived. With a `user_hash`, `is_supported` and
   * `has_unviewed_stories` describe this user.
   *
   * @throws RequestRejected with `resource_not_found`
   * @example
   * const project = await client.projects.retrieve(1, { highlights: true });
   */
  retrieve(
    projectId: number | string,
    params?: GetProjectParams,
    options?: CallOptions,
  ): Call<GetProjectResponse> {
    return start(
      this.#transport,
      getProject,
      { ids: [projectId], query: params, has: 'project_id' },
      options,
    );
  }
}
