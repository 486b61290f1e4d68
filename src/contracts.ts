import { coreContracts } from './core';
import { features as allFeatures } from './features';
import type { EndpointContract } from './http/endpoint';
import type { WebhookContract } from './http/openapi';
import type { AmountLimits } from './modules/contributions/contribution.fields';

/** The contracts of all operations: those of the core, then those of the features. */
export const listContracts = (limits: AmountLimits, features = allFeatures): EndpointContract[] =>
  features.reduce(
    (earlier, { contracts }) => [...earlier, ...(contracts?.(earlier) ?? [])],
    coreContracts(limits),
  );

/** The requests that the service sends to partners. */
export const listMessages = (features = allFeatures): WebhookContract[] =>
  features.flatMap(({ messages = [] }) => messages);
