import { contained } from '../../shared/contained';
import type { Logger } from '../../shared/logger';
import { networkOf } from './client-address';

/**
 * A request without a verified key pair, or one for which nothing was done.
 */
export interface SampledRequest {
  /** The `clientAddress` of the request's context. */
  clientAddress: string;
  /** The environment of the verified key pair; absent without one. */
  environmentId?: number | undefined;
  /** Undefined when the client left before there was a response. */
  status: number | undefined;
  errorCode: string | undefined;
  attemptedApiKey: string | undefined;
}

export type LogSampling = ReturnType<typeof createLogSampling>;

export interface SamplingLimits {
  windowMs: number;
  /** Lines in a window for one error code of one network or environment. */
  linesPerSource: number;
  /** Lines in a window for all networks, and the same for all environments. */
  lines: number;
  /**
   * Sources in a window for networks, and the same for environments. Beyond this number, requests
   * are counted by error code only.
   */
  sources: number;
  /** Distinct attempted keys that one summary lists. */
  keysPerSummary: number;
}

/** These limits allow about 2 MB of log per minute. */
const defaultLimits: SamplingLimits = {
  windowMs: 60_000,
  linesPerSource: 20,
  lines: 2_000,
  sources: 1_000,
  keysPerSummary: 5,
};

/** Requests with the same error code from one network or environment. */
interface Source {
  /** Absent when the window has too many sources. */
  network: string | undefined;
  environmentId: number | undefined;
  status: number | undefined;
  errorCode: string | undefined;
  logged: number;
  omitted: number;
  attemptedApiKeys: Set<string>;
}

/**
 * The counts of a window. Networks and environments have separate counts, so an anonymous flood
 * uses up no lines of a partner.
 */
interface Sources {
  readonly byKey: Map<string, Source>;
  lines: number;
}

const noSources = (): Sources => ({ byKey: new Map(), lines: 0 });

/**
 * Bounds the log of requests for which nothing was done. A source is an error code together with a
 * network, or with the environment of a verified key pair. In each window, the first requests of a
 * source have a line each. The other requests are counted. At the end of the window, each source
 * gets a summary.
 */
export function createLogSampling(logger: Logger, limits: SamplingLimits = defaultLimits) {
  let ofNetworks = noSources();
  let ofEnvironments = noSources();
  let since = new Date();
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    since = new Date();
    // Shutdown calls `flush`, so the timer does not have to keep the process running.
    timer = setTimeout(flush, limits.windowMs).unref();
  }

  const summarize = contained(logSummary);

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const ended = [...ofNetworks.byKey.values(), ...ofEnvironments.byKey.values()];
    ofNetworks = noSources();
    ofEnvironments = noSources();
    for (const source of ended) if (source.omitted > 0) summarize(logger, source, since);
  }

  return {
    /** Whether to write a line for this request. If not, the summary counts it. */
    admits(request: SampledRequest) {
      if (timer === undefined) begin();
      const sources = request.environmentId === undefined ? ofNetworks : ofEnvironments;
      const source = sourceOf(sources.byKey, request, limits.sources);
      if (source.logged < limits.linesPerSource && sources.lines < limits.lines) {
        source.logged += 1;
        sources.lines += 1;
        return true;
      }
      source.omitted += 1;
      const { attemptedApiKey } = request;
      if (attemptedApiKey !== undefined && source.attemptedApiKeys.size < limits.keysPerSummary)
        source.attemptedApiKeys.add(attemptedApiKey);
      return false;
    },
    /** Writes the summaries of the current window and ends it. */
    flush,
  };
}

function sourceOf(sources: Map<string, Source>, request: SampledRequest, mostSources: number): Source {
  const { clientAddress, environmentId, status, errorCode } = request;
  const network = environmentId === undefined ? networkOf(clientAddress) : undefined;
  const outcome = errorCode ?? String(status ?? 'unanswered');
  const ownKey = `${outcome} ${network ?? environmentId}`;
  const known = sources.get(ownKey);
  if (known) return known;
  const isSeparate = sources.size < mostSources;
  const key = isSeparate ? ownKey : outcome;
  const source = sources.get(key) ?? {
    network: isSeparate ? network : undefined,
    environmentId: isSeparate ? environmentId : undefined,
    status,
    errorCode,
    logged: 0,
    omitted: 0,
    attemptedApiKeys: new Set(),
  };
  sources.set(key, source);
  return source;
}

function logSummary(logger: Logger, source: Source, since: Date): void {
  const { network, environmentId, status, errorCode, omitted, attemptedApiKeys } = source;
  logger.info(
    {
      client_network: network,
      environment_id: environmentId,
      status,
      error_code: errorCode,
      attempted_api_keys: attemptedApiKeys.size > 0 ? [...attemptedApiKeys] : undefined,
      count: omitted,
      since: since.toISOString(),
    },
    'requests not logged individually',
  );
}
