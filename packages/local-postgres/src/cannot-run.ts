/** PostgreSQL cannot run with this installation, account or folder. The message says what to do. */
export class CannotRun extends Error {}
