import type { Request } from './actions';
import { newName, type Needs, type Target } from './targets';

/** The other of a sequence's two users, who differ in the case of a letter. */
const otherUser = (user: string): string =>
  user.startsWith('A') ? user.replace('A', 'a') : user.replace('a', 'A');

/** The projects were numbered in a row, and the last of them is in no request before. */
const nextProject = (project: number): number => project + 1;

export type Sender = Pick<Request, 'by' | 'apiKey'>;

/**
 * A request of this name in the table of transactions, for a transaction.
 *
 * @param isOdd decides what the name leaves open
 */
export function requestFor(operation: string, sender: Sender, target: Target, isOdd: boolean): Request {
  const { user, project, cents, key, id } = target;
  const otherCents = isOdd || cents === 1 ? cents + 1 : cents - 1;
  const complete = (more: { cents?: number; reference?: string | null }): Request => ({
    ...sender,
    kind: 'complete',
    id,
    cents: null,
    reference: null,
    ...more,
  });
  switch (operation) {
    case 'complete, its amount':
      return complete({ cents });
    case 'complete, another amount':
      return complete({ cents: otherCents, reference: isOdd ? newName('FT') : null });
    case 'complete, a first reference':
    case 'complete, another reference':
      return complete({ reference: newName('FT') });
    case 'complete, the stored reference':
      return complete({ reference: target.reference });
    case 'read':
      return { ...sender, kind: 'read', id };
    case 'retry, the same request':
      return { ...sender, kind: 'create', user, project, cents, key };
    case 'retry, another amount':
      return { ...sender, kind: 'create', user, project, cents: otherCents, key };
    case 'retry, another project':
      return { ...sender, kind: 'create', user, project: nextProject(project), cents, key };
    case 'retry, another user':
      return { ...sender, kind: 'create', user: otherUser(user), project, cents, key };
    case 'list':
      return { ...sender, kind: 'list', filter: {} };
    case 'list by status':
      return { ...sender, kind: 'list', filter: { status: isOdd ? 'pending' : 'completed' } };
    case 'list by user':
      return { ...sender, kind: 'list', filter: { user_hash: user } };
    case 'list by key':
      return { ...sender, kind: 'list', filter: { idempotency_key: key! } };
    case 'main component':
      return { ...sender, kind: 'show', user };
    default:
      return complete({});
  }
}

/** What that request needs of the transaction. */
export const needsOf = (operation: string): Needs => ({
  key: /^retry|by key$/.test(operation),
  reference: operation === 'complete, the stored reference',
});
