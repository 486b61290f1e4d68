/**
 * The tests that Stryker runs: those of the mutated code itself, and those of the service that
 * concern money, transaction ids, idempotency, authentication and tenancy. Leaving one out can only
 * lower the score. Tests that wait for timeouts are left out. On a busy machine they can fail
 * without a mutant, and the failure would count as a detection.
 */
module.exports = [
  'test/unit/{credentials,cursor,database-errors,fields,key-pair-cache,money,read-settings,transaction-id}.test.ts',
  'test/api/{authentication*,bank*,complet*,create-*,database-failures,idempotency,list-*,tenancy}.test.ts',
  'test/api/projects-{input,paging}.test.ts',
  'test/api/slow-queries.test.ts',
  'test/api/metrics/{metrics,readings,refusals}.test.ts',
  'test/schema/queries/*.test.ts',
];
