/** Who completes the contributions of a test environment. */
export const bankModes = ['simulated', 'linked', 'none'] as const;

export type BankMode = (typeof bankModes)[number];

/** The data with which a reset fills the new environment. */
export const resetSeeds = ['empty', 'demo'] as const;

export type ResetSeed = (typeof resetSeeds)[number];

export const defaultSettleAfterSeconds = 2;
export const defaultMagicAmounts = true;
export const longestDelaySeconds = 3_600;
export const mostAttempts = 5;

/** The outcome of one settlement of the simulated bank. */
export const settlementOutcomes = [
  'scheduled',
  'completed',
  'repeated',
  'amount_mismatch',
  'transaction_not_found',
  'completed_by_another',
] as const;

export type SettlementOutcome = (typeof settlementOutcomes)[number];
