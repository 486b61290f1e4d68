/** Operations on one kind of thing. */
export interface GroupOfOperations {
  id: string;
  title: string;
  /** What the operations are for. */
  purpose: string;
  /** The requests of the group, such as "put contributions/create". Webhooks have none. */
  requests?: RegExp;
}

/** An operation belongs to the first group whose `requests` it matches. */
export const operationGroups = [
  {
    id: 'completions',
    title: 'Completions and returns',
    purpose: 'A bank confirms that it transferred the money of a contribution, or that the money went back.',
    requests:
      /^(put contributions\/\{transaction_id\}$|post contributions\/(completions|\{transaction_id\}\/(returns|correction)))/,
  },
  {
    id: 'months',
    title: 'Months',
    purpose: 'See what keeps a month open, close it and reopen it.',
    requests: /^\w+ reconciliation\/(can-close|months)/,
  },
  {
    id: 'reconciliation',
    title: 'Reconciliation',
    purpose: 'Compare what arrived on your account with your contributions, and see what is open.',
    requests: /^(\w+ reconciliation|get contributions\/.*\/money)/,
  },
  {
    id: 'statement-entries',
    title: 'Statement entries',
    purpose: 'Read the entries of your statements, and decide on those that need an explanation.',
    requests: /^\w+ (statements\/entries|(statements|statement-accounts)\/\{\w+\}\/entries)/,
  },
  {
    id: 'statement-accounts',
    title: 'Statement accounts',
    purpose: 'Read the days of your accounts, answer questions about them and reconcile them.',
    requests: /^\w+ statement-accounts/,
  },
  {
    id: 'webhook-deliveries',
    title: 'Webhook deliveries',
    purpose: 'See what the service sent to your endpoints, and have events sent again.',
    requests:
      /^\w+ (webhook-endpoints\/\{endpoint_id\}\/(ping|events|attempts|replays)|events\/.*\/attempts)/,
  },
  {
    id: 'projects-and-stories',
    title: 'Projects and stories',
    purpose: 'Read the projects and stories that your app shows, and record which stories a user viewed.',
    requests: /^\w+ (get\/project|projects-stories|stories)/,
  },
  {
    id: 'contributions',
    title: 'Contributions',
    purpose: 'Record what a user gives to a project, and read it back.',
    requests: /^\w+ (contributions|orders|create)/,
  },
  {
    id: 'events',
    title: 'Events',
    purpose: 'Read what happened to your contributions, in order.',
    requests: /^\w+ events/,
  },
  {
    id: 'webhook-endpoints',
    title: 'Webhook endpoints',
    purpose: 'Register the addresses to which the service sends events.',
    requests: /^\w+ webhook-endpoints/,
  },
  {
    id: 'webhooks',
    title: 'Webhook requests',
    purpose: 'The requests that the service sends to your webhook endpoints, one for each type of event.',
  },
  {
    id: 'bank-links',
    title: 'Company and bank links',
    purpose: 'Read who you are, and with which banks or companies you are linked.',
    requests: /^\w+ (links|me)/,
  },
  {
    id: 'bank-statements',
    title: 'Bank statements',
    purpose: 'Upload the statements of your bank and lists of settled contributions.',
    requests: /^\w+ statement/,
  },
  {
    id: 'sandbox',
    title: 'Sandbox',
    purpose: 'Settle contributions, cause faults and reset your data in the test environment.',
    requests: /^\w+ sandbox/,
  },
] as const satisfies readonly GroupOfOperations[];

const prefix = '/company/integration/';

/**
 * The group of an operation.
 *
 * @throws Error if no group has the operation, so that none is left out of the reference
 */
export function operationGroupOf({ method, path }: { method: string; path: string }) {
  const request = `${method} ${path.replace(prefix, '')}`;
  const found = operationGroups.find((group) => 'requests' in group && group.requests.test(request));
  if (!found) throw new Error(`no group of operations has ${request}: see operation-groups.ts`);
  return found;
}
