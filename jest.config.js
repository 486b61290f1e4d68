/** @type {import('jest').Config} */
module.exports = {
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/packages/*/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    // `npm run test:all` runs these too.
    ...(process.env.FULL_TEST_RUN !== undefined ? [] : ['\\.long\\.test\\.ts$']),
  ],
  // Only syntax is checked here: `npm run check types` checks types, once for all files.
  transform: {
    '^.+\\.[jt]s$': [
      'ts-jest',
      {
        diagnostics: true,
        tsconfig: {
          allowJs: true,
          isolatedModules: true,
          module: 'commonjs',
          moduleResolution: 'node10',
          target: 'es2023',
          esModuleInterop: true,
          ignoreDeprecations: '6.0',
        },
      },
    ],
  },
  // These are published as ES modules only.
  transformIgnorePatterns: ['/node_modules/(?!(uuid|marked|stemmer)/)'],
  moduleNameMapper: {
    // The SDK's ES modules import each other with the extension of the compiled file.
    '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'],
    // Tests run the sources of the packages. Only the global setup uses their last build.
    '^@contribution-service/([^/]+)$': '<rootDir>/packages/$1/src',
  },
  // Builds and mutation testing leave copies of these modules there.
  modulePathIgnorePatterns: ['<rootDir>/reports/', '<rootDir>/dist', '<rootDir>/packages/[^/]+/dist'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/openapi/setup.ts'],
  // Tests mostly wait for PostgreSQL, so use a worker for every core.
  maxWorkers: '100%',
  // Of its heap: a worker above it is replaced after its file, so none needs more than 600 MB.
  workerIdleMemoryLimit: '340MB',
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  // Only finds a test that hangs. No test judges speed by it: this machine may be busy.
  testTimeout: 120_000,
};
