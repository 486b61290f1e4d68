import { createRequire } from 'node:module';

import type { Logger } from '../shared/logger';
import type * as StartTracing from './start-tracing';

/**
 * Traces are switched on by the standard variables of OpenTelemetry and by nothing else: an
 * endpoint, or the exporter `otlp`, which has an endpoint of its own. Switched off, nothing of
 * OpenTelemetry's SDK is loaded.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
function isSwitchedOn(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || '';
  const exporter = environment['OTEL_TRACES_EXPORTER'] || '';
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  return exporter === 'otlp' || (exporter === '' && endpoint !== '');
}

/** What is asked for and not to be had here. */
function problemsOf(environment: NodeJS.ProcessEnv): string[] {
  const exporter = environment['OTEL_TRACES_EXPORTER'] || 'none';
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return [
    ...(exporter === 'none' || exporter === 'otlp'
      ? []
      : ['OTEL_TRACES_EXPORTER: there is only otlp (or none): no traces are sent']),
    ...(protocol === 'grpc'
      ? ['OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent over HTTP with JSON, not grpc']
      : []),
  ];
}

// What is traced is changed while it is loaded: a program imports this before everything else.
const tracing = isSwitchedOn(process.env)
  ? (createRequire(__filename)('./start-tracing.js') as typeof StartTracing).startTracing()
  : undefined;

const mostOftenMs = 60_000;

/**
 * Says in the log that traces are sent, what of the variables has no effect, and once a minute that
 * none arrive.
 */
export function reportTracing(logger: Logger): void {
  for (const problem of problemsOf(process.env)) logger.warn(problem);
  if (!tracing) return;
  logger.info('sending traces');
  let saidAt = -Infinity;
  tracing.watch((error) => {
    if (performance.now() - saidAt < mostOftenMs) return;
    saidAt = performance.now();
    const { code, message } = error as Error & { code?: unknown };
    logger.warn({ error: { code, message } }, 'traces do not arrive');
  });
}

export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}
