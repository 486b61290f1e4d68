import { randomBytes } from 'node:crypto';

/** A pepper that production accepts, different in each process. */
export const randomPepper = randomBytes(32).toString('base64url');
