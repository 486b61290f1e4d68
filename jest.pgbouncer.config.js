// The tests of the API through a real PgBouncer: npm run test:suite pgbouncer.
process.env.FULL_TEST_RUN = 'on';
const common = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...common,
  testMatch: ['<rootDir>/test/api/**/*.test.ts', '<rootDir>/test/suites/pgbouncer/**/*.pgbouncer.ts'],
  globalSetup: '<rootDir>/test/suites/pgbouncer/global-setup.ts',
  globalTeardown: '<rootDir>/test/suites/pgbouncer/global-teardown.ts',
};
