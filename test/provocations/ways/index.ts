import { contributionWays } from './contributions.ways';
import { credentialWays } from './credentials.ways';
import { databaseWays } from './database.ways';
import { inputWays } from './input.ways';
import { limitWays } from './limits.ways';
import { transportWays } from './transport.ways';
import type { Ways } from './way';

/** How each error is brought about, on every operation that has it. */
export const ways: Ways = {
  ...transportWays,
  ...credentialWays,
  ...inputWays,
  ...contributionWays,
  ...databaseWays,
  ...limitWays,
};
