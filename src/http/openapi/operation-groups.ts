/** Operations on one kind of thing. */
export interface GroupOfOperations {
  id: string;
  title: string;
  /** The operations whose paths begin with one of these texts, after the common prefix. */
  paths: readonly string[];
}

/** The groups in the order in which readers see them. The last one has all other operations. */
export const operationGroups: readonly GroupOfOperations[] = [
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

export const otherOperations: GroupOfOperations = { id: 'others', title: 'Other operations', paths: [''] };

const prefix = '/company/integration/';

/** The group of a path. */
export const operationGroupOf = (path: string): GroupOfOperations =>
  operationGroups.find(({ paths }) => paths.some((start) => path.startsWith(prefix + start))) ??
  otherOperations;
