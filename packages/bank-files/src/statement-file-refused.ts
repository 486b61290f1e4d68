/** Thrown if the file as a whole cannot be read. The message is a text for its sender. */
export class StatementFileRefused extends Error {
  override readonly name = 'StatementFileRefused';
}
