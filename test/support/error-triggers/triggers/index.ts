import { contributionWays } from './contributions.triggers';
import { credentialWays } from './credentials.triggers';
import { databaseWays } from './database.triggers';
import { inputWays } from './input.triggers';
import { limitWays } from './limits.triggers';
import { transportWays } from './transport.triggers';
import type { ErrorTriggers } from './trigger';

/** How each error is brought about, on every operation that has it. */
export const errorTriggers: ErrorTriggers = {
  ...transportWays,
  ...credentialWays,
  ...inputWays,
  ...contributionWays,
  ...databaseWays,
  ...limitWays,
};
