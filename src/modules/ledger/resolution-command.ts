/** The command whose record says that somebody has looked at an amount mismatch. */
export const resolutionCommand = 'transactions resolve';
