import { coreContracts } from './core/core';
import { features as allFeatures } from './features';
import type { EndpointContract } from './http/contract';
import { createErrorCatalog, type ErrorCatalog } from './http/errors/error-catalog';
import type { WebhookContract } from './http/openapi';
import { settings, type SettingsSchema } from './service.settings';
import { createScopes, type Scopes } from './shared/scopes';
import type { AmountLimits } from './core/contributions/amount.field';

/** The contracts of all operations: those of the core, then those of the features. */
export const listContracts = (limits: AmountLimits, features = allFeatures): EndpointContract[] =>
  features.reduce(
    (earlier, { contracts }) => [...earlier, ...(contracts?.(earlier) ?? [])],
    coreContracts({ limits, scopes: listScopes(features).all }),
  );

/** The scopes of the core and of the features. */
export const listScopes = (features = allFeatures): Scopes =>
  createScopes(features.flatMap(({ scopes }) => (scopes ? [scopes] : [])));

/** The errors of the core and of the features. */
export const listErrors = (features = allFeatures): ErrorCatalog =>
  createErrorCatalog(features.flatMap(({ errors }) => (errors ? [errors] : [])));

/** The settings of the process and of the features. Its type names only those of the process. */
export const listSettings = (features = allFeatures): SettingsSchema =>
  settings.extend(Object.assign({}, ...features.map((feature) => feature.settings)) as object);

/** The requests that the service sends to partners. */
export const listMessages = (features = allFeatures): WebhookContract[] =>
  features.flatMap(({ messages = [] }) => messages);
