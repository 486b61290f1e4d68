import type { Request, Response } from 'express';

import { whenWritten } from '../../internals/express-messages';

/**
 * Waits without holding a slot, so that other requests need not wait. Then authenticates again,
 * because the key pair may have been revoked meanwhile.
 */
export function waitOutside(
  req: Request,
  res: Response & { [whenWritten]?: () => void },
  authenticate: (req: Request) => Promise<unknown>,
) {
  return async (wait: () => Promise<void>): Promise<void> => {
    res[whenWritten]?.();
    await wait();
    await authenticate(req);
  };
}
