import { randomBytes } from 'node:crypto';

/** A pepper that production accepts, another one in each process. */
export const randomPepper = randomBytes(32).toString('base64url');
