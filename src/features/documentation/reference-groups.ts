import type { EndpointContract } from '../../http/contract';
import {
  type GroupOfOperations,
  operationGroupOf,
  operationGroups,
} from '../../http/openapi/operation-groups';
import { type ReferencePage, referencePages } from './links';

/** Operations on one kind of thing, on a page of their own. */
export interface OperationGroup {
  page: ReferencePage;
  title: string;
  purpose: string;
  contracts: EndpointContract[];
}

export function groupOfPage(page: ReferencePage): GroupOfOperations {
  const found = operationGroups.find(({ id }) => page === `reference/${id}`);
  if (!found) throw new Error(`no group of operations is for ${page}`);
  return found;
}

/** The page of an operation. */
export const pageOfOperation = (contract: EndpointContract): ReferencePage =>
  `reference/${operationGroupOf(contract).id}`;

/** Operations that partners use only if they cannot use another. */
const lastOperations = ['makeOrder', 'createPayment'];

/** The operations of a page, in the order in which a partner needs them. */
export function groupOf(page: ReferencePage, contracts: readonly EndpointContract[]): OperationGroup {
  const { title, purpose } = groupOfPage(page);
  const rank = ({ operationId, origin }: EndpointContract): number =>
    lastOperations.includes(operationId) ? 2 : Number(origin === 'addition');
  const found = contracts
    .filter((contract) => pageOfOperation(contract) === page)
    .toSorted((a, b) => rank(a) - rank(b));
  return { page, title, purpose, contracts: found };
}

/** The groups that have operations, in the order of their pages. */
export const groupsOf = (contracts: readonly EndpointContract[]): OperationGroup[] =>
  referencePages.map((page) => groupOf(page, contracts)).filter(({ contracts: found }) => found.length > 0);
