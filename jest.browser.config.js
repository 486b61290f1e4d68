// The tests that need a browser: npm run test:suite browser. They start the service themselves,
// with its embedded database. What holds answers of the API against its document has nothing to do
// here.
const { globalSetup, globalTeardown, setupFilesAfterEnv, ...common } = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...common,
  testMatch: ['<rootDir>/test/suites/browser/**/*.browser.ts'],
  testTimeout: 60_000,
};
