import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentName, FoundUser, HeldAboutUser, UserName, UsersStore } from './users.store';

export interface ForgottenUser {
  userId: string;
  supports: number;
  storyViews: number;
}

/** The operator's commands for a user's data. Errors never contain a user_hash. */
export interface UsersService {
  /** @throws OperatorError if there is no such user, or the user is already forgotten */
  findRemembered(environment: EnvironmentName, name: UserName): Promise<FoundUser>;
  /**
   * Erases a user's hash, name, supports and story views permanently. The contributions stay,
   * without a link to the person.
   *
   * @throws OperatorError if there is no such user, or the user is already forgotten
   */
  forget(environment: EnvironmentName, name: UserName): Promise<ForgottenUser>;
  /**
   * Reads all stored data of a user.
   *
   * @throws OperatorError if there is no such user
   */
  readHeld(environment: EnvironmentName, name: UserName): Promise<{ userId: string; held: HeldAboutUser }>;
}

export function createUsersService(store: UsersStore): UsersService {
  async function find(environment: EnvironmentName, name: UserName): Promise<FoundUser> {
    const environmentId = await store.findEnvironment(environment);
    if (environmentId === undefined)
      throw new OperatorError(
        `There is no company named "${environment.company}". Run companies list to see all companies.`,
      );
    const user = await store.find(environmentId, name);
    if (user) return user;
    throw new OperatorError(
      `The ${environment.kind} environment of "${environment.company}" has no such user.`,
    );
  }

  async function findRemembered(environment: EnvironmentName, name: UserName): Promise<FoundUser> {
    const user = await find(environment, name);
    if (user.forgottenAt === null) return user;
    throw new OperatorError(`User ${user.userId} was forgotten at ${user.forgottenAt.toISOString()}.`);
  }

  return {
    findRemembered,
    async forget(environment, name) {
      const user = await findRemembered(environment, name);
      const removed = await store.forget(user);
      if (removed) return { userId: user.userId, ...removed };
      throw new OperatorError(`Another command forgot user ${user.userId} at the same time.`);
    },
    async readHeld(environment, name) {
      const user = await find(environment, name);
      return { userId: user.userId, held: await store.readHeld(user) };
    },
  };
}
