import { z } from 'zod';

import { endpoint, type EndpointContract } from '../../http/endpoint';
import {
  defaultDelayMs,
  faultKinds,
  faultMisfit,
  longestDelayMs,
  takesFaults,
} from '../../http/faults/fault-kinds';
import { integerInBody } from '../../http/request/fields';

const path = '/company/integration/sandbox/faults';

export const mostTimes = 100;

const kindDescription =
  'How the request fails. With `429`, `408` and kinds that end in `_before`, the request has no effect. With all other kinds, it takes effect before it fails';

const example = {
  operation: 'createContribution',
  kind: 'answer_lost_after_commit',
  times: 1,
  times_left: 1,
  delay_ms: null,
  armed_at: '2026-11-20T09:31:12.000Z',
  expires_at: '2026-11-20T10:31:12.000Z',
} as const;

/** @param operations that can have faults */
function schemas(operations: readonly EndpointContract[]) {
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
  const operationIds = [...byId.keys()];
  const fault = z
    .strictObject({
      operation: z.enum(operationIds).meta({ description: 'The operationId', 'x-open-enum': true }),
      kind: z.enum(faultKinds).meta({ description: kindDescription, 'x-open-enum': true }),
      times: z.int().meta({ description: 'How many requests the fault was armed for' }),
      times_left: z.int().meta({ description: 'How many requests will still fail' }),
      delay_ms: z
        .int()
        .nullable()
        .meta({ description: 'The delay of the kind `delay`. Null for other kinds' }),
      armed_at: z.iso.datetime(),
      expires_at: z.iso.datetime(),
    })
    .meta({ id: 'SandboxFault' });
  const body = z
    .object({
      operation: z
        .enum(operationIds, { error: 'Send the operationId of an operation outside the sandbox.' })
        .meta({ description: 'The operationId of the requests that fail' }),
      kind: z
        .enum(faultKinds, { error: `Send one of ${faultKinds.join(', ')}.` })
        .meta({ description: kindDescription }),
      times: integerInBody(1, mostTimes, 'How many requests fail. Default 1'),
      delay_ms: integerInBody(
        0,
        longestDelayMs,
        `The delay of the kind \`delay\`, in milliseconds. Default ${defaultDelayMs}`,
      ),
    })
    .superRefine(({ operation, kind }, context) => {
      const contract = byId.get(operation);
      const misfit = contract && faultMisfit(contract, kind);
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
      operationId: 'armSandboxFault',
      method: 'post',
      path,
      summary: 'Make the next requests of an operation fail',
      description:
        'The next `times` requests of the operation fail, with any key pair of your test environment, for at most an hour. Arming the same operation and kind again replaces the fault, so a retry is safe. Several kinds take effect in the order in which you armed them. Every process of the service sees a new fault within a second.',
      origin: 'addition',
      scope: 'sandbox',
      onlyIn: 'test',
      body: {
        accepts: ['json'],
        schema: body,
        example: { operation: example.operation, kind: example.kind },
      },
      responses: { 200: { description: 'The armed fault.', body: fault, example } },
      errors: [
        'invalid_request',
        'malformed_body',
        'body_too_large',
        'unsupported_media_type',
        'sandbox_only',
      ],
    }),
    list: endpoint({
      operationId: 'listSandboxFaults',
      method: 'get',
      path,
      summary: 'List the armed faults',
      description: 'Faults that are used up or expired are not listed.',
      origin: 'addition',
      scope: 'sandbox',
      onlyIn: 'test',
      responses: {
        200: {
          description: 'The armed faults, in the order in which they take effect.',
          body: z.strictObject({ data: z.array(fault) }),
          example: { data: [example] },
        },
      },
      errors: ['sandbox_only'],
    }),
    disarm: endpoint({
      operationId: 'disarmSandboxFaults',
      method: 'delete',
      path,
      summary: 'Remove all armed faults',
      description: 'Also succeeds if no fault is armed.',
      origin: 'addition',
      scope: 'sandbox',
      onlyIn: 'test',
      responses: { 204: { description: 'No fault is armed.' } },
      errors: ['sandbox_only'],
    }),
  };
}
