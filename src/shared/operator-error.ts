/** An operator's mistake. The command changes nothing, and the message says what to do. */
export class OperatorError extends Error {}
