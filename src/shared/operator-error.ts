/** An operator's mistake, told in words that say what to do. Nothing was changed. */
export class OperatorError extends Error {}
