/** The service cannot start, for a reason that its operator can fix. The message says how. */
export class StartupError extends Error {}
