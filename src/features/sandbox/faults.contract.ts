import { z } from 'zod';

import { endpoint, type EndpointContract } from '../../http/contract';
import {
  defaultDelayMs,
  type FaultKind,
  faultKinds,
  faultMisfit,
  longestDelayMs,
  takesFaults,
} from '../../http/faults/fault-kinds';
import { integerInBody } from '../../http/request/fields';
import {
  defaultHoldMs,
  webhookFaultKinds,
  webhookFaultOperation,
} from '../webhooks/courier/webhook-fault.field';

const common = {
  path: '/company/integration/sandbox/faults',
  origin: 'addition',
  scope: 'sandbox',
  onlyIn: 'test',
} as const;

const mostTimes = 100;

const kinds = [...faultKinds, ...webhookFaultKinds] as const;
const webhookKinds = new Set<string>(webhookFaultKinds);

const kindDescription =
  'How the request fails. With `429`, `408` and kinds that end in `_before`, the request has no effect. With the others, it takes effect before it fails. `duplicate`, `reorder`, `bad_signature`, `old_timestamp` and `hold` apply to `deliverWebhook`, and lose no event';

const operationDescription = 'The operationId. `deliverWebhook` means the requests to your webhook endpoints';

/** The reason why a kind does not fit an operation; undefined if it fits. */
function misfitOf(contract: EndpointContract | undefined, kind: (typeof kinds)[number]): string | undefined {
  const isWebhookKind = webhookKinds.has(kind);
  if (contract)
    return isWebhookKind ? `Use ${kind} with deliverWebhook only.` : faultMisfit(contract, kind as FaultKind);
  return isWebhookKind ? undefined : `With deliverWebhook, use one of ${webhookFaultKinds.join(', ')}.`;
}

const example = {
  operation: 'createContribution',
  kind: 'answer_lost_after_commit',
  times: 1,
  times_left: 1,
  delay_ms: null,
  armed_at: '2026-11-20T09:31:12.000Z',
  expires_at: '2026-11-20T10:31:12.000Z',
} as const;

/** @param operations the operations that can have faults */
function schemas(operations: readonly EndpointContract[]) {
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
  const operationIds = [...byId.keys(), webhookFaultOperation];
  const fault = z
    .strictObject({
      operation: z.enum(operationIds).meta({ description: operationDescription, 'x-open-enum': true }),
      kind: z.enum(kinds).meta({ description: kindDescription, 'x-open-enum': true }),
      times: z.int().meta({ description: 'How many requests the fault was armed for' }),
      times_left: z.int().meta({ description: 'How many requests will still fail' }),
      delay_ms: z
        .int()
        .nullable()
        .meta({ description: 'The delay of the kinds `delay`, `hold` and `reorder`. Null for other kinds' }),
      armed_at: z.iso.datetime(),
      expires_at: z.iso.datetime(),
    })
    .meta({ id: 'SandboxFault' });
  const body = z
    .object({
      operation: z
        .enum(operationIds, {
          error: 'Send the operationId of an operation outside the sandbox, or deliverWebhook.',
        })
        .meta({ description: operationDescription }),
      kind: z
        .enum(kinds, { error: `Send one of ${kinds.join(', ')}.` })
        .meta({ description: kindDescription }),
      times: integerInBody(1, mostTimes, 'How many requests fail. Default 1'),
      delay_ms: integerInBody(
        0,
        longestDelayMs,
        `The delay of the kinds \`delay\`, \`hold\` and \`reorder\`, in milliseconds. Default ${defaultDelayMs} for \`delay\`, ${defaultHoldMs} for \`hold\` and \`reorder\``,
      ),
    })
    .superRefine(({ operation, kind }, context) => {
      const misfit = misfitOf(byId.get(operation), kind);
      if (misfit === undefined) return;
      context.addIssue({
        code: 'custom',
        path: ['kind'],
        message: misfit,
        params: { code: 'unsupported_value' },
      });
    });
  return { fault, body };
}

/** @param others the contracts of the other modules */
export function faultsContract(others: readonly EndpointContract[]) {
  const { fault, body } = schemas(others.filter(takesFaults));
  return {
    arm: endpoint({
      ...common,
      operationId: 'armSandboxFault',
      method: 'post',
      summary: 'Make the next requests of an operation fail',
      description:
        'The next `times` requests of the operation fail, with any key pair of your test environment, for at most an hour. With `deliverWebhook`, the fault affects the next `times` deliveries to your webhook endpoints. Arming the same operation and kind again replaces the fault, so a retry is safe. Several kinds take effect in the order in which you armed them. Every process of the service sees a new fault within a second.',
      body: {
        accepts: ['json'],
        schema: body,
        example: { operation: example.operation, kind: example.kind },
      },
      responses: { 200: { description: 'The armed fault.', body: fault, example } },
    }),
    list: endpoint({
      ...common,
      operationId: 'listSandboxFaults',
      method: 'get',
      summary: 'List the armed faults',
      description: 'Faults that are used up or expired are not listed.',
      responses: {
        200: {
          description: 'The armed faults, in the order in which they take effect.',
          body: z.strictObject({ data: z.array(fault), has_more: z.boolean() }),
          example: { data: [example], has_more: false },
        },
      },
    }),
    disarm: endpoint({
      ...common,
      operationId: 'disarmSandboxFaults',
      method: 'delete',
      summary: 'Remove all armed faults',
      description: 'Also succeeds if no fault is armed.',
      responses: { 204: { description: 'No fault is armed.' } },
    }),
  };
}
