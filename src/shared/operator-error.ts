/** An operator's mistake. The message says what to do. Nothing was changed. */
export class OperatorError extends Error {}
