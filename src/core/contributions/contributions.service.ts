import { DatabaseFailure } from '../../db/errors';
import { defaultDetail } from '../../http/errors/error-catalog';
import { OutdatedKeyPair, ServiceError } from '../../shared/errors';
import { groupBy } from '../../shared/group-by';
import type { Principal } from '../../shared/scopes';
import { parseTransactionId } from '../../shared/transaction-id';
import type {
  CompleteOutcome,
  Completion,
  CompletionInSetOutcome,
  Evidence,
  NewContribution,
} from './contribution';
import { readTransactionId, transactionNotFound } from './written-transaction-id';
import type { CreateOutcome, ContributionsStore } from './contributions.store';
import type {
  PageRequest,
  ContributionFilter,
  ContributionPage,
  ContributionsListStore,
  Viewer,
} from './contributions-list.store';

/** Why a completion of a contribution without net amount changed nothing; undefined otherwise. */
export type Undone = 'undone' | 'barred' | undefined;

export type ContributionsService = ReturnType<typeof createContributionsService>;

type CompleteRefusal = Exclude<CompleteOutcome, 'completed' | 'replayed'>;
type CreateRefusal = Exclude<CreateOutcome['kind'], 'created' | 'replayed' | 'key_reused'>;

const createRefusals: Record<CreateRefusal, () => ServiceError> = {
  environment_retired: () => new OutdatedKeyPair(),
  company_suspended: () =>
    new ServiceError('company_suspended', {
      detail: 'The company is suspended and cannot create contributions.',
    }),
  project_unknown: () =>
    new ServiceError('project_not_found', {
      detail: 'The project_id in the body does not exist.',
      errors: [{ pointer: '/project_id', code: 'not_found', detail: 'No project has this id.' }],
    }),
  project_archived: () =>
    new ServiceError('project_not_accepting', {
      detail: 'The project is archived and does not accept contributions.',
    }),
};

/**
 * Names the contribution of the key. A caller that may create gets the same id when it repeats the
 * original request. Errors contain no `user_hash`: a key that contains one is not named.
 *
 * @param users the `user_hash` of the request and of the contribution; null after its deletion
 */
function keyReused(
  transactionId: string,
  { idempotencyKey = '' }: Pick<NewContribution, 'idempotencyKey'>,
  users: readonly (string | null | undefined)[],
): ServiceError {
  const isNamed = users.every((user) => user && !idempotencyKey.includes(user));
  const key = isNamed ? `The Idempotency-Key ${JSON.stringify(idempotencyKey)}` : 'This Idempotency-Key';
  return new ServiceError('idempotency_key_reused', {
    detail: `${key} created ${transactionId} with another project, amount or user. Use a new key for a new contribution.`,
    subject: { ...(isNamed && { idempotency_key: idempotencyKey }), transaction_id: transactionId },
  });
}

/** The error of a completion that was refused. */
export const completeRefusals: Record<CompleteRefusal, () => ServiceError> = {
  // The same response for an unknown id and for another company's id.
  unknown: transactionNotFound,
  caller_not_live: () => new OutdatedKeyPair(),
  reserved_for_bank: () =>
    new ServiceError('completion_reserved_for_bank', {
      detail: 'The company is linked to a partner bank. Only that bank can complete this contribution.',
    }),
  contested: () =>
    new ServiceError('completed_by_another', {
      detail:
        'Another bank, or the company itself, completed this contribution. Nothing changed, and the service recorded your attempt.',
    }),
  amount_differs: () =>
    new ServiceError('amount_mismatch', {
      detail:
        'The amount does not match the transaction. Nothing changed, and the service recorded your attempt.',
    }),
};

/** A check that times out is no refusal. The completion itself then reports the error. */
const mayBeRefused = (outcome: CompletionInSetOutcome | undefined): boolean =>
  outcome !== 'completed' && outcome !== 'replayed' && outcome !== 'timed_out';

const databaseUnavailable = (): ServiceError =>
  new ServiceError('database_unavailable', { detail: defaultDetail('database_unavailable') });

export function createContributionsService(store: ContributionsStore, lists: ContributionsListStore) {
  return {
    /**
     * Records a contribution as pending (specification 3, 4.5).
     *
     * @returns its id, and whether the idempotency key had already created it
     * @throws ServiceError project_not_found, project_not_accepting, company_suspended,
     *   idempotency_key_reused; outcome_unknown if the database's reply was lost and there is no
     *   idempotency key
     */
    async create(principal: Principal, contribution: NewContribution) {
      const outcome = await store.create(principal, contribution).catch((error: unknown) => {
        throw preventDuplicateCreate(error, contribution);
      });
      if (outcome.kind === 'key_reused') {
        const id = parseTransactionId(outcome.transactionId);
        const earlier = id && (await store.find(principal, id));
        throw keyReused(outcome.transactionId, contribution, [contribution.userHash, earlier?.own?.userHash]);
      }
      if (outcome.kind !== 'created' && outcome.kind !== 'replayed') throw createRefusals[outcome.kind]();
      return { transactionId: outcome.transactionId, isReplay: outcome.kind === 'replayed' };
    },

    /**
     * Completes a contribution (specification 3, 4.6). A repeat succeeds and changes nothing.
     * `undone`: a repeat of a contribution whose net amount is zero.
     *
     * @param writtenId the id as the caller wrote it
     * @throws ServiceError transaction_not_found, completion_reserved_for_bank,
     *   completed_by_another, amount_mismatch, credentials_invalid
     */
    async complete(
      principal: Principal,
      writtenId: string,
      evidence: Evidence,
    ): Promise<{ transactionId: string; isReplay: boolean; undone: Undone }> {
      const id = readTransactionId(writtenId);
      const outcome = await store.complete(principal, id, evidence);
      const { transactionId } = id;
      if (outcome === 'undone' || outcome === 'barred')
        return { transactionId, isReplay: true, undone: outcome };
      if (outcome !== 'completed' && outcome !== 'replayed') throw completeRefusals[outcome]();
      return { transactionId, isReplay: outcome === 'replayed', undone: undefined };
    },

    /**
     * Finds the first of these completions that would be refused now. Changes nothing.
     *
     * @throws ServiceError database_unavailable if the server of an environment does not respond
     */
    async findRefused(principal: Principal, completions: readonly Completion[]) {
      for (const [tag, ofTag] of groupBy(completions, ({ id }) => id.tag)) {
        const outcomes = await store.completeSet(principal, tag, ofTag, true);
        if (outcomes.includes('unreachable') || outcomes.includes('uncertain')) throw databaseUnavailable();
        const refused = ofTag.find((_, at) => mayBeRefused(outcomes[at]));
        if (refused) return refused;
      }
      return undefined;
    },

    /** @throws ServiceError transaction_not_found */
    async get(principal: Principal, writtenId: string) {
      const transaction = await store.find(principal, readTransactionId(writtenId));
      if (!transaction) throw transactionNotFound();
      return transaction;
    },

    /** One page of the contributions that the caller may see, oldest first. */
    list: (viewer: Viewer, filter: ContributionFilter, page: PageRequest): Promise<ContributionPage> =>
      lists.list(viewer, filter, page),
  };
}

/**
 * Replaces a retryable database error with outcome_unknown if the contribution may be recorded and
 * has no idempotency key: a retry could record it twice.
 */
function preventDuplicateCreate(error: unknown, contribution: NewContribution): unknown {
  const isUnknown = error instanceof DatabaseFailure && error.outcome === 'unknown';
  if (!isUnknown || contribution.idempotencyKey !== undefined) return error;
  return new ServiceError('outcome_unknown', {
    detail:
      'The contribution may or may not have been recorded. Before you create it again, look it up with GET /company/integration/contributions?user_hash=…. Send an Idempotency-Key with every create.',
    cause: error,
  });
}
