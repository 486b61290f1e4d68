import { supportedProjects } from '../rights';
import {
  expectedFromAuthentication,
  type Caller,
  type Command,
  describeCaller,
  environmentOfCaller,
  judgeAfterAuthentication,
} from './command';

/**
 * Checks which projects are supported in a user's main component. A separate test checks the rest.
 */
export function showMainComponent(caller: Caller, user: string): Command {
  return {
    title: `${describeCaller(caller)} main component of ${user}`,
    send: (service) =>
      service.call({
        method: 'GET',
        path: `projects-stories?user_hash=${encodeURIComponent(user)}`,
        pair: caller.pair,
      }),
    judge: (model, response) =>
      judgeAfterAuthentication(expectedFromAuthentication(model, caller, 'projects:read'), response, () => {
        const expected = [...supportedProjects(model, environmentOfCaller(caller), user)].sort();
        const projects = (response.body['data'] ?? []) as { project_id: number; is_supported: boolean }[];
        const supported = projects
          .filter((project) => project.is_supported)
          .map((project) => project.project_id);
        const isRight = response.outcome === '200' && supported.sort().join() === expected.join();
        return isRight ? undefined : `200 with the supported projects [${expected.join()}]`;
      }),
  };
}
