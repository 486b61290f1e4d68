import { features } from '../../features';
import { auditChecks } from './audit.checks';
import { environmentChecks } from './environments.checks';
import { eventChecks } from './events.checks';
import { figureChecks } from './figures.checks';
import { onceChecks } from './once.checks';
import { transactionChecks } from './transactions.checks';
import { userChecks } from './users.checks';
import type { VerificationCheck } from './verification-check';

/**
 * All checks: those of the core, then those of the features. For each problem of a new check, the
 * tests need a corruption that causes it.
 */
export const verificationChecks: readonly VerificationCheck[] = [
  ...environmentChecks,
  ...onceChecks,
  ...transactionChecks,
  ...eventChecks,
  ...userChecks,
  ...figureChecks,
  ...auditChecks,
  ...features.flatMap(({ checks = [] }) => checks),
];
