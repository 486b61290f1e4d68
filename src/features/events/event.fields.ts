import { z } from 'zod';

import { environmentKinds } from '../../shared/scopes';
import { dollars, transactionId } from '../../core/contributions/contribution-response.fields';
import {
  bankLinkEventTypes,
  contributionEventTypes,
  type EventType,
  sandboxEventTypes,
  statementDayEventTypes,
  webhookDeliveryEventTypes,
  webhookEndpointEventTypes,
} from './event-type.field';

const time = z.iso.datetime();

const members = {
  id: z.uuid().meta({ description: 'The same in every feed that has this event' }),
  sequence: z.int().meta({ description: 'The number of the event in your feed: 1, 2, 3, without gaps' }),
  timestamp: time.meta({ description: 'When the service recorded the event' }),
  environment: z.enum(environmentKinds),
};

const contributionData = z.strictObject({
  transaction_id: transactionId,
  company_id: z.uuid().meta({ description: 'The company that created the contribution' }),
  project_id: z.int(),
  amount: dollars('Amount of the contribution in US dollars, with two decimals', '25.00'),
  currency: z.literal('USD'),
  stated_amount: dollars('The amount in the request that caused the event, or null', '25.00').nullable(),
  bank_reference: z.string().nullable().meta({
    description:
      "The reference in the request that caused the event. Null if there was none. In a bank's feed, also null if the request came from another party, unless the event is the completion",
  }),
  value_date: z.iso.date().nullable(),
  return_id: z
    .uuid()
    .nullable()
    .meta({ description: 'The return that was recorded, or the id of the undo. Null for other events' }),
  undoes: z.uuid().nullable().meta({ description: 'The `return_id` that was undone, or null' }),
  kind: z
    .string()
    .nullable()
    .meta({ description: 'The kind of the return, or the reason for the undo. Null for other events' }),
  code: z.string().nullable().meta({ description: "The payment scheme's code of the return, or null" }),
  idempotency_key: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Visible only to the company that created the contribution' }),
});

export const bankLinkData = z.strictObject({
  company_id: z.uuid().meta({ description: 'The company whose contributions the bank completes' }),
  bank_company_id: z.uuid().meta({ description: 'The bank' }),
  linked_at: time,
  unlinked_at: time.nullable().meta({ description: 'When the link ended, or null' }),
  mistake: z.boolean().meta({
    description:
      'Whether the operator voided the link as a mistake. The bank then sees only the contributions that it completed',
  }),
});

export const endpointData = z.strictObject({
  endpoint_id: z.uuid(),
  failing_since: time.nullable().meta({
    description: 'The time of the first failure since the last success, or null',
  }),
  disables_at: time.nullable().meta({
    description:
      'When the service disables the endpoint unless a delivery succeeds. Null unless the endpoint is failing',
  }),
  disabled_reason: z.string().nullable().meta({
    description:
      '`operator`, `gone` or `failing`, as in `disabled_reason` of the endpoint. Null unless the endpoint is disabled',
  }),
});

export const deliveryData = z.strictObject({
  endpoint_id: z.uuid(),
  event_id: z.uuid().meta({ description: 'The event that the endpoint did not get. Resend or read it' }),
  event_type: z.string(),
  transaction_id: transactionId.nullable(),
  attempts: z.int().meta({ description: 'The number of attempts' }),
  failure: z.string().meta({ description: 'Why the last attempt failed, as in the list of attempts' }),
  status: z.int().nullable().meta({ description: 'The status of the last response, or null' }),
});

export const sandboxData = z.strictObject({
  company_id: z.uuid().meta({ description: 'The company that reset its test environment' }),
  bank_company_id: z.uuid().meta({ description: 'Its bank, which gets the event' }),
  reset_at: time.meta({
    description: "When the reset took place. The company's earlier contributions are no longer visible",
  }),
  generation: z.int().meta({
    description: "The number of the test environment that ended: 1 for the company's first one",
  }),
});

export const statementDayData = z.strictObject({
  account_id: z.uuid(),
  day: z.iso.date(),
  lines_gone: z.int().meta({ description: 'The number of lines that do not count for the day any more' }),
  lines_added: z.int().meta({ description: 'The number of lines that count instead' }),
});

/** An event with one of these types. The type decides what `data` contains. */
const variant = <Type extends EventType, Data extends z.ZodType>(
  id: string,
  types: readonly [Type, ...Type[]],
  data: Data,
) =>
  z
    .strictObject({
      id: members.id,
      sequence: members.sequence,
      type: z.enum(types).meta({ 'x-discriminator': true }),
      timestamp: members.timestamp,
      environment: members.environment,
      data,
    })
    .meta({ id });

const ofContribution = variant('ContributionEvent', contributionEventTypes, contributionData);
const ofBankLink = variant('BankLinkEvent', bankLinkEventTypes, bankLinkData);
const ofEndpoint = variant('WebhookEndpointEvent', webhookEndpointEventTypes, endpointData);
const ofDelivery = variant('WebhookDeliveryEvent', webhookDeliveryEventTypes, deliveryData);
const ofSandbox = variant('SandboxEvent', sandboxEventTypes, sandboxData);
const ofDay = variant('StatementDayEvent', statementDayEventTypes, statementDayData);
const variants = [ofContribution, ofBankLink, ofEndpoint, ofDelivery, ofSandbox, ofDay] as const;

/** The schema of events of one type. */
export const eventOfType = (type: EventType): z.ZodType =>
  variants.find(({ shape }) => shape.type.safeParse(type).success) ?? event;

export const event = z.discriminatedUnion('type', variants).meta({
  id: 'Event',
  description: 'The `type` decides what `data` contains. More types may be added. Ignore unknown ones.',
  'x-open-enum': true,
});

export const exampleEvent = {
  id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  sequence: 4_711,
  type: 'contribution.completed',
  timestamp: '2026-11-20T09:31:12.000Z',
  environment: 'production',
  data: {
    transaction_id: 'K7Q20CR5M3V9XHG',
    company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
    project_id: 1,
    amount: '25.00',
    currency: 'USD',
    stated_amount: '25.00',
    bank_reference: 'FT-2026-0042',
    value_date: '2026-11-20',
    return_id: null,
    undoes: null,
    kind: null,
    code: null,
    idempotency_key: 'order-1042',
  },
} as const;
