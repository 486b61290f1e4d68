import type { CatalogEntry } from './catalog-entry';

/** The errors of returns. `errorCatalog` contains them. */
export const returnErrorCatalog = {
  return_reserved: {
    status: 403,
    title: 'Another party records the returns of this contribution',
    retryable: false,
    meaning:
      'Only the party that completed a contribution can record or undo its returns. Another bank, or the company itself, completed this one. Nothing was recorded.',
    advice:
      'Check the id and the key pair. `completed_by_you` of the contribution tells whether you can record its returns.',
  },
  return_not_found: {
    status: 404,
    title: 'Return not found',
    retryable: false,
    meaning: 'The contribution has no return with this `return_id`. Nothing was recorded.',
    advice:
      'Check both ids. If you lost the `return_id`, repeat the request that recorded the return: it gets the same response. An undo cannot be undone.',
  },
  contribution_not_completed: {
    status: 409,
    title: 'The contribution is not completed',
    retryable: false,
    meaning:
      'The contribution is pending, so no money was received that could go back. Nothing was recorded.',
    advice:
      'Check the id. If you transferred the money, complete the contribution first and then record the return.',
    retry: 'Only after the contribution is completed.',
  },
  return_exceeds_amount: {
    status: 409,
    title: 'The return exceeds the amount',
    retryable: false,
    meaning:
      'The returns of a contribution cannot exceed its amount, and what you undo cannot exceed what is left of the return. Nothing was recorded.',
    advice:
      'Compare `net_amount` of the contribution with your statement. Check whether you recorded the same return with another `bank_reference` or `kind`. If more money went back than was received, agree with the company and the operator on what to do.',
  },
  return_reference_reused: {
    status: 409,
    title: 'The bank reference was used for a different return',
    retryable: false,
    meaning:
      'An earlier request recorded a return of this contribution with the same `bank_reference` and `kind`, but with another amount. Or it used the reference to undo another return. Nothing was recorded.',
    advice: 'For a retry, send the original amount. For another return, send its own `bank_reference`.',
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>;
