import type { ContributionService } from '../client.js';
import { RequestRejected } from '../errors.js';
import { type ArmSandboxFaultBody, faultOperations, type SandboxFault } from '../generated/api.js';
import {
  columns,
  type Command,
  type Context,
  integerOf,
  suggestionFor,
  UsageError,
  withDetail,
} from './command.js';

/** All kinds of faults, in the order of the guide. */
const kinds: Readonly<Record<ArmSandboxFaultBody['kind'], true>> = {
  answer_lost_after_commit: true,
  lost_before: true,
  cut_mid_body: true,
  delay: true,
  '503_before': true,
  '503_after_commit': true,
  '429': true,
  '408': true,
  proxy_502_html: true,
  outcome_unknown: true,
  duplicate: true,
  reorder: true,
  bad_signature: true,
  old_timestamp: true,
  hold: true,
};
const ofWebhooks = ['duplicate', 'reorder', 'bad_signature', 'old_timestamp', 'hold'];
const ofRequests = Object.keys(kinds).filter((kind) => !ofWebhooks.includes(kind));

const rowOf = (fault: SandboxFault): string[] => [
  fault.operation,
  fault.kind,
  `${fault.times_left} of ${fault.times} left`,
  `until ${fault.expires_at}`,
];

/** Adds suggestions for misspelt names to an error of the service. */
function withNames(error: unknown, operation: string, kind: string): unknown {
  if (!(error instanceof RequestRejected) || error.code !== 'invalid_request') return error;
  const hints = [
    ...(faultOperations.includes(operation)
      ? []
      : [`Operation ${operation}: ${suggestionFor(operation, faultOperations)}`]),
    ...(Object.hasOwn(kinds, kind) ? [] : [`Kind ${kind}: ${suggestionFor(kind, Object.keys(kinds))}`]),
  ];
  if (hints.length === 0) return error;
  return withDetail(error, ['There is no such fault.', ...hints].join(' '));
}

const noEndpoint =
  'You have no webhook endpoint, so no delivery is affected. Create one, or use "listen --duplicate", "--drop" or "--shuffle".';

/** False if the pair may not list endpoints. */
const hasNoEndpoint = (client: ContributionService): Promise<boolean> =>
  client.webhookEndpoints.list().then(
    ({ data }) => data.length === 0,
    () => false,
  );

async function arm({ client, positionals, values, print }: Context): Promise<void> {
  const [operation, kind, ...others] = positionals;
  if (operation === undefined || kind === undefined || others.length > 0)
    throw new UsageError('Pass an operation and a kind, or --list or --clear.');
  if (Object.hasOwn(kinds, operation) && !Object.hasOwn(kinds, kind))
    throw new UsageError(`The operation comes first: fault ${kind} ${operation}`);
  const [times, delayMs] = [integerOf(values, 'times'), integerOf(values, 'delay-ms')];
  const body = {
    operation,
    kind,
    ...(times !== undefined && { times }),
    ...(delayMs !== undefined && { delay_ms: delayMs }),
  };
  // Only the service checks the two names, because a later version may know more names.
  const armed = await client()
    .sandbox.faults.arm(body as ArmSandboxFaultBody)
    .catch((error: unknown) => {
      throw withNames(error, operation, kind);
    });
  const isWithoutEffect = operation === 'deliverWebhook' && (await hasNoEndpoint(client()));
  print(armed, `${columns([rowOf(armed)])}${isWithoutEffect ? `\n${noEndpoint}` : ''}`);
}

export const fault: Command = {
  summary: 'inject faults into the next test requests of an operation or the next webhook deliveries',
  help: `Usage: contribution-service-sdk fault OPERATION KIND [OPTIONS]
       contribution-service-sdk fault --list | --clear

Makes the next requests of one operation fail in your test environment. A fault expires after an hour.
OPERATION is an operationId of the API reference. deliverWebhook means the requests to your webhook
endpoints. For other operations, KIND is one of:
  ${ofRequests.join(' ')}
For deliverWebhook, KIND is one of:
  ${ofWebhooks.join(' ')}
The guide Sandbox describes them. Examples:
  contribution-service-sdk fault createContribution answer_lost_after_commit
  contribution-service-sdk fault deliverWebhook bad_signature

  --times N      how many requests fail, 1 to 100, default 1
  --delay-ms N   the delay in milliseconds, for the kinds "delay", "hold" and "reorder"
  --list         list the armed faults
  --clear        remove all armed faults`,
  options: {
    times: { type: 'string' },
    'delay-ms': { type: 'string' },
    list: { type: 'boolean' },
    clear: { type: 'boolean' },
  },
  worksInProduction: false,
  left: 'The armed faults were changed. "fault --list" shows them, and "fault --clear" removes them.',
  async run(context) {
    const { client, values, print } = context;
    if (values['clear'] === true) {
      await client().sandbox.faults.disarm();
      print({ data: [], has_more: false }, 'No faults.');
    } else if (values['list'] === true) {
      const list = await client().sandbox.faults.list();
      print(list, list.data.length === 0 ? 'No faults.' : columns(list.data.map(rowOf)));
    } else {
      await arm(context);
    }
    return 0;
  },
};
