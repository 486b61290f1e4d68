import { createRequire } from 'node:module';

import type { Logger } from '../shared/logger';
import type * as StartTracing from './start-tracing';

/**
 * Standard variables of OpenTelemetry enable tracing. They set an endpoint, or the exporter `otlp`,
 * which has a default endpoint. When tracing is disabled, OpenTelemetry's SDK is not loaded.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
function isEnabled(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || '';
  const exporter = environment['OTEL_TRACES_EXPORTER'] || '';
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  return exporter === 'otlp' || (exporter === '' && endpoint !== '');
}

/** Settings that this service does not support. */
function unsupportedSettings(environment: NodeJS.ProcessEnv): string[] {
  const exporter = environment['OTEL_TRACES_EXPORTER'] || 'none';
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return [
    ...(exporter === 'none' || exporter === 'otlp'
      ? []
      : ['OTEL_TRACES_EXPORTER: only otlp and none are supported; no traces are sent']),
    ...(protocol === 'grpc'
      ? ['OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent over HTTP with JSON, not grpc']
      : []),
  ];
}

// Instrumentation patches modules as they load, so programs import this file before all others.
const tracing = isEnabled(process.env)
  ? (createRequire(__filename)('./start-tracing.js') as typeof StartTracing).startTracing()
  : undefined;

const warningIntervalMs = 60_000;

/** Logs whether traces are sent, which settings are unsupported, and failures once a minute. */
export function reportTracing(logger: Logger): void {
  for (const problem of unsupportedSettings(process.env)) logger.warn(problem);
  if (!tracing) return;
  logger.info('sending traces');
  let warnedAt = -Infinity;
  tracing.onFailure((error) => {
    if (performance.now() - warnedAt < warningIntervalMs) return;
    warnedAt = performance.now();
    const { code, message } = error as Error & { code?: unknown };
    logger.warn({ error: { code, message } }, 'traces do not arrive');
  });
}

export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}
