/** The task of a Jest run: record the service's statements, or change one of them. */
export type Assignment =
  | { do: 'record'; directory: string }
  /**
   * A prepared statement is identified by its name. A statement that is composed for each call has
   * no name and is identified by its mutant.
   */
  | { do: 'change'; name: string | undefined; key: string; text: string }
  | { do: 'nothing' };

/** The statements of one test file without a mutant. */
export interface Recording {
  /** Path from the root of the project. */
  file: string;
  milliseconds: number;
  /** The names of all prepared statements of the program. */
  declared: string[];
  ran: { name?: string | undefined; text: string; times: number }[];
}
