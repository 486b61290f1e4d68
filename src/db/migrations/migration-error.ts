/** The run did not finish. The message tells the operator why. */
export class MigrationError extends Error {}
