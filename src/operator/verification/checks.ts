import { auditChecks } from './audit.checks';
import { environmentChecks } from './environments.checks';
import { eventChecks } from './events.checks';
import { figureChecks } from './figures.checks';
import { onceChecks } from './once.checks';
import { transactionChecks } from './transactions.checks';
import { userChecks } from './users.checks';
import type { VerificationCheck } from './verification-check';

/** Every check there is. A new one needs a corruption in the tests, for each of its problems. */
export const verificationChecks: readonly VerificationCheck[] = [
  ...environmentChecks,
  ...onceChecks,
  ...transactionChecks,
  ...eventChecks,
  ...userChecks,
  ...figureChecks,
  ...auditChecks,
];
