import type { EndpointContract } from '../http/endpoint';

/** Operations on one kind of thing. */
export interface OperationGroup {
  id: string;
  title: string;
  contracts: EndpointContract[];
}

/** The groups in their order. Each has the paths that begin with one of these texts. */
const groups: readonly { id: string; title: string; paths: readonly string[] }[] = [
  {
    id: 'projects-and-stories',
    title: 'Projects and stories',
    paths: ['get/project', 'projects-stories', 'stories'],
  },
  { id: 'contributions', title: 'Contributions', paths: ['contributions', 'orders', 'create'] },
  { id: 'events', title: 'Events', paths: ['events'] },
  { id: 'webhook-endpoints', title: 'Webhook endpoints', paths: ['webhook-endpoints'] },
  { id: 'bank-links', title: 'Bank links', paths: ['links'] },
  { id: 'bank-statements', title: 'Bank statements', paths: ['statement', 'reconciliation'] },
  { id: 'sandbox', title: 'Sandbox', paths: ['sandbox'] },
];

const prefix = '/company/integration/';
const others = { id: 'others', title: 'Other operations', paths: [''] };

/**
 * Divides operations into groups. Within a group, the operations of the specification come first.
 */
export function groupsOf(contracts: readonly EndpointContract[]): OperationGroup[] {
  const ordered = contracts.toSorted(
    (a, b) => Number(a.origin === 'addition') - Number(b.origin === 'addition'),
  );
  const groupOf = ({ path }: EndpointContract) =>
    groups.find(({ paths }) => paths.some((start) => path.startsWith(prefix + start))) ?? others;
  return [...groups, others]
    .map((group) => ({
      id: group.id,
      title: group.title,
      contracts: ordered.filter((contract) => groupOf(contract) === group),
    }))
    .filter(({ contracts: found }) => found.length > 0);
}
