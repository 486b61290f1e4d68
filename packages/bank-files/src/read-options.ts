export interface ReadOptions {
  /**
   * Keeps the references that earlier versions of this package read, even where they were wrong:
   * funds types of BAI2 in lower case. A program needs this if it has stored entries and recognizes
   * them by their references.
   */
  keepsReferences?: boolean | undefined;
}
