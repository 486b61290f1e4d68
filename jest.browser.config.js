// The tests that need a browser: npm run test:suite browser. They start the service with its
// embedded database, so they need no global setup. They do not compare API responses with
// openapi.json, so they need no setup file.
const { globalSetup, globalTeardown, setupFilesAfterEnv, ...common } = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...common,
  testMatch: ['<rootDir>/test/suites/browser/**/*.browser.ts'],
};
