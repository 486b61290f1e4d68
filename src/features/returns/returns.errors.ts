import type { CatalogEntry } from '../../http/errors/catalog-entry';

/** The errors of returns and corrections. */
export const returnErrors = {
  return_reserved: {
    status: 403,
    title: 'Only the party that completed this contribution can record its returns',
    retryable: false,
    meaning:
      'Only the party that completed a contribution can record or undo its returns. Another party completed this contribution, or your link to its company was voided as a mistake. Nothing was recorded.',
    advice:
      'Check the id and the key pair. You can record returns only if `completed_by_you` of the contribution is true. If your link was a mistake, tell the operator which money moved.',
  },
  correction_reserved: {
    status: 403,
    title: 'Only the party that completed this contribution can correct the completion',
    retryable: false,
    meaning:
      'Only the party that completed a contribution can take the completion back. Another bank, or the company itself, completed this contribution. Nothing was recorded.',
    advice: 'Check the id. If the other party made a mistake, ask it or the operator to correct it.',
  },
  contribution_has_returns: {
    status: 409,
    title: 'The contribution has returns',
    retryable: false,
    meaning:
      'A correction says that no money moved, but a return of this contribution was recorded. Nothing was recorded.',
    advice:
      'If money moved and went back, record returns until `net_amount` is 0.00. If the returns are wrong too, ask the operator.',
  },
  correction_ambiguous: {
    status: 409,
    title: 'The correction does not say which completion it takes back',
    retryable: false,
    meaning:
      'The contribution was corrected before, so this may be a late repeat of that correction. Or no completion has this `completed_at`. Nothing was recorded.',
    advice:
      'Read the contribution. If its completion is a mistake too, send its `completed_at` with the correction.',
  },
  return_not_found: {
    status: 404,
    title: 'Return not found',
    retryable: false,
    meaning: 'The contribution has no return with this `return_id`. Nothing was recorded.',
    advice:
      'Check both ids. If you lost the `return_id`, repeat the request that recorded the return: the response is the same. An undo cannot be undone.',
  },
  contribution_not_completed: {
    status: 409,
    title: 'The contribution is not completed',
    retryable: false,
    meaning:
      'The contribution is pending, or its completion was corrected. Only a completed contribution has returns or a correction. Nothing was recorded.',
    advice:
      'Check the id. If you transferred the money, complete the contribution first and then record the return.',
    retry: 'Only after the contribution is completed.',
  },
  return_exceeds_amount: {
    status: 409,
    title: 'The amount of the return or undo is too large',
    retryable: false,
    meaning:
      'The sum of all returns cannot exceed the amount of the contribution. The sum of all undos of a return cannot exceed the amount of the return. Nothing was recorded.',
    advice:
      'Compare `returned_amount` of the contribution with your account statement. Check whether you recorded the same return with another `bank_reference` or `kind`. If more money went back than you transferred, agree with the company and the operator on what to do.',
  },
  return_reference_reused: {
    status: 409,
    title: 'The bank reference was used for a different return',
    retryable: false,
    meaning:
      'An earlier return of this contribution has the same `bank_reference` and `kind`, but another amount. Or an earlier undo has the same `bank_reference` and `reason`, but another amount or another return. Nothing was recorded.',
    advice:
      'For a retry, send the original amount. For another return or undo, send a different `bank_reference`.',
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>;

declare module '../../shared/errors' {
  interface FeatureErrors extends Record<keyof typeof returnErrors, unknown> {}
}
