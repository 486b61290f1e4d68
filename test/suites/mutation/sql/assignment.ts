/** What a run of jest is asked to do with the statements of the service. */
export type Assignment =
  | { do: 'record'; directory: string }
  /**
   * A prepared statement is known by its name. One that is put together per call has none, and is
   * known by its mutant.
   */
  | { do: 'change'; name: string | undefined; key: string; text: string }
  | { do: 'nothing' };

/** What one test file made the service do, without any mutant. */
export interface Recording {
  /** Path from the root of the project. */
  file: string;
  milliseconds: number;
  /** The names of all prepared statements that the program has. */
  declared: string[];
  ran: { name?: string | undefined; text: string; times: number }[];
}
