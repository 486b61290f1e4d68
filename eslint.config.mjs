import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist*/',
      'node_modules/',
      'coverage/',
      'reports/',
      '.data/',
      'packages/*/dist*/',
      'packages/sdk/src/generated/',
    ],
  },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // A feature extends the interfaces of codes and scopes.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      // Numbers in messages and SQL fragments are safe and common here.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    rules: {
      // Only the width of comments: Prettier wraps code.
      'max-len': [
        'error',
        { code: 1000, comments: 100, ignorePattern: 'eslint-disable|prettier-ignore', ignoreStrings: true },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'bench/**/*.ts', 'packages/{bank-files,local-postgres}/src/**/*.ts'],
    rules: {
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // Programs that talk to a terminal.
    files: [
      'src/operator/cli/**/*.ts',
      'seeds/**/*.ts',
      'scripts/**/*.ts',
      'test/suites/citus-faults/main.ts',
      'test/suites/faults/main.ts',
      'test/suites/fuzz/main.ts',
      'test/suites/month/main.ts',
      'test/suites/recovery/main.ts',
      'test/suites/rolling-restarts/main.ts',
      'test/suites/webhook-outages/main.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // Supertest's bodies are untyped; the tests assert on what is in them.
    files: ['test/**/*.ts', 'packages/*/test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "MemberExpression[object.name=/^(test|it|describe|longTest)$/][property.name='only'], CallExpression[callee.name=/^(fit|fdescribe)$/]",
          message: 'Jest would skip the other tests of this file.',
        },
      ],
    },
  },
);
