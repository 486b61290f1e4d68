/** The fixed properties of an error code. Texts are Markdown, with code and links only. */
export interface CatalogEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly meaning: string;
  /** What the caller should do. */
  readonly advice: string;
  /** When to retry, if `retryable` alone would mislead. Only the documentation shows it. */
  readonly retry?: string;
}
