import { contributionWays } from './contributions.triggers';
import { credentialWays } from './credentials.triggers';
import { databaseWays } from './database.triggers';
import { eventWays } from './events.triggers';
import { inputWays } from './input.triggers';
import { limitWays } from './limits.triggers';
import { returnWays } from './returns.triggers';
import { sandboxWays } from './sandbox.triggers';
import { webhookWays } from './webhooks.triggers';
import { statementWays } from './statements.triggers';
import { transportWays } from './transport.triggers';
import type { ErrorTriggers } from './trigger';

/** A trigger for each error, used on every operation that documents it. */
export const errorTriggers: ErrorTriggers = {
  ...transportWays,
  ...credentialWays,
  ...inputWays,
  ...contributionWays,
  ...databaseWays,
  ...eventWays,
  ...limitWays,
  ...returnWays,
  ...sandboxWays,
  ...webhookWays,
  ...statementWays,
};
