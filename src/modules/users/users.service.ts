import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentName, FoundUser, HeldAboutUser, UserName, UsersStore } from './users.store';

export interface ForgottenUser {
  userId: string;
  supports: number;
  storyViews: number;
}

/** What an operator does for a person whose data is held. In no error is a user_hash. */
export interface UsersService {
  /** @throws OperatorError when there is no such user, or they are forgotten already */
  findRemembered(environment: EnvironmentName, name: UserName): Promise<FoundUser>;
  /**
   * Forgets a user: their hash, name, supports and story views are gone for good. Their
   * contributions stay, without them.
   *
   * @throws OperatorError when there is no such user, or they are forgotten already
   */
  forget(environment: EnvironmentName, name: UserName): Promise<ForgottenUser>;
  /** All that is held about a user. @throws OperatorError when there is no such user */
  readHeld(environment: EnvironmentName, name: UserName): Promise<{ userId: string; held: HeldAboutUser }>;
}

export function createUsersService(store: UsersStore): UsersService {
  async function find(environment: EnvironmentName, name: UserName): Promise<FoundUser> {
    const environmentId = await store.findEnvironment(environment);
    if (environmentId === undefined)
      throw new OperatorError(
        `There is no company named "${environment.company}": companies list shows all.`,
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
      throw new OperatorError(`User ${user.userId} was forgotten by somebody else just now.`);
    },
    async readHeld(environment, name) {
      const user = await find(environment, name);
      return { userId: user.userId, held: await store.readHeld(user) };
    },
  };
}
