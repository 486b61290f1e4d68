/**
 * The built-in bank of the sandbox, as a migration inserts it. It has a test environment only, and
 * no key pair. Its completions contain `apiKey` instead of an API-Key.
 */
export const simulatedBank = {
  companyId: '019ab000-0000-7000-8000-00000000ba4c',
  environmentId: -1,
  apiKey: 'simulated_bank',
} as const;
