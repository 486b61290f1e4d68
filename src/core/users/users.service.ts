import { OperatorError } from '../../shared/operator-error';
import type { CompaniesService } from '../companies/companies.service';
import type { EnvironmentName, FoundUser, HeldAboutUser, UserName, UsersStore } from './users.store';

export interface ForgottenUser {
  userId: string;
  supports: number;
  storyViews: number;
}

type FoundUsers = [FoundUser, ...FoundUser[]];

/** The operator's commands for a user's data. Errors never contain a user_hash. */
export function createUsersService(companies: Pick<CompaniesService, 'find'>, store: UsersStore) {
  /**
   * Finds the user in the current environment, and in the environments that resets have retired.
   * Those keep their users.
   */
  async function findAll(environment: EnvironmentName, name: UserName): Promise<FoundUsers> {
    const { name: company } = await companies.find(environment.company);
    const environmentIds = await store.findEnvironments({ ...environment, company });
    const users: FoundUser[] = [];
    for (const environmentId of environmentIds)
      users.push(...[(await store.find(environmentId, name)) ?? []].flat());
    const [first, ...others] = users;
    if (first) return [first, ...others];
    throw new OperatorError(
      `The ${environment.kind} environment of "${environment.company}" has no such user.`,
    );
  }

  async function findRemembered(environment: EnvironmentName, name: UserName): Promise<FoundUsers> {
    const all = await findAll(environment, name);
    const [first, ...others] = all.filter(({ forgottenAt }) => forgottenAt === null);
    if (first) return [first, ...others];
    const [{ userId, forgottenAt }] = all;
    throw new OperatorError(`User ${userId} was forgotten at ${String(forgottenAt?.toISOString())}.`);
  }

  return {
    /** @throws OperatorError if there is no such user, or the user is already forgotten */
    findRemembered: async (environment: EnvironmentName, name: UserName) =>
      (await findRemembered(environment, name))[0],
    /**
     * Erases a user's hash, name, supports and story views permanently, also in environments that
     * resets have retired. The contributions stay, without a link to the person.
     *
     * @throws OperatorError if there is no such user, or the user is already forgotten
     */
    async forget(environment: EnvironmentName, name: UserName) {
      const users = await findRemembered(environment, name);
      const forgotten: ForgottenUser = { userId: users[0].userId, supports: 0, storyViews: 0 };
      for (const user of users) {
        const removed = await store.forget(user);
        if (!removed) throw new OperatorError(`Another command forgot user ${user.userId} at the same time.`);
        forgotten.supports += removed.supports;
        forgotten.storyViews += removed.storyViews;
      }
      return forgotten;
    },
    /**
     * Reads all stored data of a user, also from environments that were retired by resets.
     *
     * @throws OperatorError if there is no such user
     */
    async readHeld(environment: EnvironmentName, name: UserName) {
      const [user, ...earlier] = await findAll(environment, name);
      const held: HeldAboutUser = await store.readHeld(user);
      const retired: HeldAboutUser[] = [];
      for (const each of earlier) retired.push(await store.readHeld(each));
      return {
        userId: user.userId,
        held: retired.length === 0 ? held : { ...held, before_resets: retired },
      };
    },
  };
}
