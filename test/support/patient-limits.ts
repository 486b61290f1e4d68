/**
 * Limits that do not judge speed, because the machine of a test may be slow and busy. A test of a
 * limit sets that limit.
 */
export const patientLimits = {
  DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
  DATABASE_STATEMENT_TIMEOUT_MS: '30000',
  DATABASE_LOCK_TIMEOUT_MS: '30000',
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: '60000',
  DATABASE_ANSWER_TIMEOUT_MS: '60000',
};
