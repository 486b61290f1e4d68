import { OutdatedKeyPair } from '../shared/errors';
import type { Principal } from '../shared/scopes';

/**
 * The most attempts. Each further attempt follows a reset that was committed in between, and a
 * company has few resets.
 */
const maxAttempts = 5;

/**
 * Runs a handler. A reset can move the caller's key pair to a new environment after it was
 * authenticated. The handler has then done nothing, and runs again in the new environment.
 *
 * @param input gets the principal of the current run
 * @param authenticateAgain reads the pair from the database; throws if it was revoked
 */
export async function handleAsCurrentPrincipal<Input extends { principal: Principal }, Response>(
  input: Input,
  handler: (input: Input) => Promise<Response>,
  authenticateAgain: () => Promise<Principal>,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await handler(input);
    } catch (error) {
      if (!(error instanceof OutdatedKeyPair) || attempt >= maxAttempts) throw error;
      const principal = await authenticateAgain();
      if (principal.environmentId === input.principal.environmentId) throw error;
      input.principal = principal;
    }
  }
}
