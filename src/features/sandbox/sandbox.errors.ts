import type { CatalogEntry } from '../../http/errors/catalog-entry';

/** The errors of the sandbox. */
export const sandboxErrors = {
  sandbox_conflict: {
    status: 409,
    title: "The sandbox's settings do not allow this",
    retryable: false,
    meaning:
      'The request conflicts with the bank links of your test environment. `detail` says how. Nothing changed.',
    advice:
      'Read [the settings of the sandbox](sandbox.md#settings) and choose another bank. Only the operator can start or end a link with a real bank.',
  },
} as const satisfies Record<string, CatalogEntry>;

declare module '../../shared/errors' {
  interface FeatureErrors extends Record<keyof typeof sandboxErrors, unknown> {}
}
