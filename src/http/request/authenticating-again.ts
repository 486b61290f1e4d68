import type { Request, Response } from 'express';

import { whenWritten } from '../../internals/express-messages';
import { OutdatedKeyPair } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';

type Authenticate = (req: Request) => Promise<Principal>;

/** Authenticates a request again, for a handler that may run several times. */
export function authenticatingAgain(
  req: Request,
  res: Response & { [whenWritten]?: () => void },
  dependencies: { authenticate: Authenticate; authenticateAgain: Authenticate },
  principal: Principal,
) {
  /** The key pair's principal in the current run of the handler. */
  let current = principal;
  return {
    /** Reads the key pair from the database, for the next run. */
    authenticateAgain: async (): Promise<Principal> => (current = await dependencies.authenticateAgain(req)),
    /**
     * Waits without holding a slot, so that other requests need not wait. Then authenticates again,
     * because the key pair may have been revoked meanwhile.
     *
     * @throws OutdatedKeyPair if a reset moved the pair to another environment
     */
    outside: async (wait: () => Promise<void>): Promise<void> => {
      res[whenWritten]?.();
      await wait();
      const { environmentId } = await dependencies.authenticate(req);
      // The handler runs again, in the new environment.
      if (environmentId !== current.environmentId) throw new OutdatedKeyPair();
    },
  };
}
