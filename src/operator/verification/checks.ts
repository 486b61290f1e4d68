import { auditChecks } from './audit.checks';
import { environmentChecks } from './environments.checks';
import { eventChecks } from './events.checks';
import { feedChecks } from './feeds.checks';
import { figureChecks } from './figures.checks';
import { onceChecks } from './once.checks';
import { returnChecks } from './returns.checks';
import { totalsChecks } from './totals.checks';
import { statementChecks } from './statements.checks';
import { transactionChecks } from './transactions.checks';
import { userChecks } from './users.checks';
import { webhookChecks } from './webhooks.checks';
import type { VerificationCheck } from './verification-check';

/** All checks. For each problem of a new check, the tests need a corruption that causes it. */
export const verificationChecks: readonly VerificationCheck[] = [
  ...environmentChecks,
  ...onceChecks,
  ...transactionChecks,
  ...eventChecks,
  ...feedChecks,
  ...webhookChecks,
  ...returnChecks,
  ...statementChecks,
  ...userChecks,
  ...figureChecks,
  ...totalsChecks,
  ...auditChecks,
];
