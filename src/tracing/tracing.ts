import { createRequire } from 'node:module';

import type * as StartTracing from './start-tracing';

/**
 * Traces, switched on by the standard variables of OpenTelemetry and by nothing else. Import it before everything: what is
 * traced is changed while it is loaded. Switched off, nothing of OpenTelemetry's SDK is loaded.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
function isSwitchedOn(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  return (
    endpoint !== '' &&
    environment['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true' &&
    environment['OTEL_TRACES_EXPORTER'] !== 'none'
  );
}

/** Sends what is not sent yet, as far as the collector takes it in good time. */
export const stopTracing: () => Promise<void> = isSwitchedOn(process.env)
  ? (createRequire(__filename)('./start-tracing.js') as typeof StartTracing).startTracing()
  : () => Promise.resolve();
