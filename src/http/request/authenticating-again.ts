import type { Request, Response } from 'express';

import { whenWritten } from '../../internals/express-messages';
import { OutdatedKeyPair } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';

/**
 * Waits without holding a slot, so that other requests need not wait. Then authenticates again,
 * because the key pair may have been revoked meanwhile.
 *
 * @throws OutdatedKeyPair if a reset moved the pair to another environment
 */
export function waitOutside(
  req: Request,
  res: Response & { [whenWritten]?: () => void },
  authenticate: (req: Request) => Promise<Principal>,
  principal: Principal,
) {
  let { environmentId } = principal;
  return async (wait: () => Promise<void>): Promise<void> => {
    res[whenWritten]?.();
    await wait();
    const before = environmentId;
    ({ environmentId } = await authenticate(req));
    // The handler runs again, in the new environment.
    if (environmentId !== before) throw new OutdatedKeyPair();
  };
}
