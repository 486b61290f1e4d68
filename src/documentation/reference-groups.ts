import type { EndpointContract } from '../http/endpoint';
import { operationGroupOf, operationGroups, otherOperations } from '../http/openapi/operation-groups';

/** Operations on one kind of thing. */
export interface OperationGroup {
  id: string;
  title: string;
  contracts: EndpointContract[];
}

/**
 * Divides operations into groups. Within a group, the operations of the specification come first.
 */
export function groupsOf(contracts: readonly EndpointContract[]): OperationGroup[] {
  const ordered = contracts.toSorted(
    (a, b) => Number(a.origin === 'addition') - Number(b.origin === 'addition'),
  );
  return [...operationGroups, otherOperations]
    .map((group) => ({
      id: group.id,
      title: group.title,
      contracts: ordered.filter(({ path }) => operationGroupOf(path) === group),
    }))
    .filter(({ contracts: found }) => found.length > 0);
}
