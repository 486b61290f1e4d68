import type { Logger } from '../../shared/logger';
import { networkOf } from './client-address';

/**
 * A request that may be without a line of its own: of nobody, or one of a verified key pair for
 * which nothing was done.
 */
export interface SampledRequest {
  /** As `clientAddress` of the request's context. */
  clientAddress: string;
  /** The environment of the verified key pair; absent for a request of nobody. */
  environmentId?: number | undefined;
  /** Undefined when the client left before there was a response. */
  status: number | undefined;
  errorCode: string | undefined;
  attemptedApiKey: string | undefined;
}

export interface LogSampling {
  /** Whether this request has a line of its own; otherwise it is counted for the summary. */
  admits: (request: SampledRequest) => boolean;
  /** Writes the summaries of the current window and starts a new one. */
  flush: () => void;
}

export interface SamplingLimits {
  windowMs: number;
  /** Lines of one network or environment and error code in a window. */
  linesPerSource: number;
  /** Lines of all networks together in a window, and as many of all environments. */
  lines: number;
  /**
   * Networks and error codes, and as many environments and error codes, that are counted apart in a
   * window. The rest is counted by error code alone.
   */
  sources: number;
  /** Different attempted keys that one summary names. */
  keysPerSummary: number;
}

/** About 2 MB of log a minute at most. */
const defaultLimits: SamplingLimits = {
  windowMs: 60_000,
  linesPerSource: 20,
  lines: 2_000,
  sources: 1_000,
  keysPerSummary: 5,
};

interface Source {
  /** Absent where networks are not counted apart any more. */
  network: string | undefined;
  environmentId: number | undefined;
  status: number | undefined;
  errorCode: string | undefined;
  logged: number;
  omitted: number;
  attemptedApiKeys: Set<string>;
}

/**
 * What is counted in a window, for networks or for environments: a flood of strangers takes no line
 * from a partner.
 */
interface Sources {
  readonly byKey: Map<string, Source>;
  lines: number;
}

const noSources = (): Sources => ({ byKey: new Map(), lines: 0 });

/**
 * Bounds what requests for which nothing is done can write to the log. In each window the first
 * requests of a network, or of the environment of a verified key pair, with the same error code
 * have lines of their own. The others are counted, and one summary for each network or environment
 * and error code ends the window.
 */
export function createLogSampling(logger: Logger, limits: SamplingLimits = defaultLimits): LogSampling {
  let ofNetworks = noSources();
  let ofEnvironments = noSources();
  let since = new Date();
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    since = new Date();
    timer = setTimeout(flush, limits.windowMs);
    // What was counted is written when the process stops, too.
    timer.unref();
  }

  function sourceOf(sources: Map<string, Source>, request: SampledRequest): Source {
    const { clientAddress, environmentId, status, errorCode } = request;
    const network = environmentId === undefined ? networkOf(clientAddress) : undefined;
    const what = errorCode ?? String(status ?? 'unanswered');
    const keyApart = `${what} ${network ?? environmentId}`;
    const known = sources.get(keyApart);
    if (known) return known;
    const isApart = sources.size < limits.sources;
    const key = isApart ? keyApart : what;
    const source = sources.get(key) ?? {
      network: isApart ? network : undefined,
      environmentId: isApart ? environmentId : undefined,
      status,
      errorCode,
      logged: 0,
      omitted: 0,
      attemptedApiKeys: new Set(),
    };
    sources.set(key, source);
    return source;
  }

  function summarize(source: Source): void {
    const { network, environmentId, status, errorCode, omitted, attemptedApiKeys } = source;
    if (omitted === 0) return;
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
      'requests without a line of their own',
    );
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const ended = [...ofNetworks.byKey.values(), ...ofEnvironments.byKey.values()];
    ofNetworks = noSources();
    ofEnvironments = noSources();
    for (const source of ended) summarize(source);
  }

  return {
    admits(request) {
      if (timer === undefined) begin();
      const sources = request.environmentId === undefined ? ofNetworks : ofEnvironments;
      const source = sourceOf(sources.byKey, request);
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
    flush,
  };
}
