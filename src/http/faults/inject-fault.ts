import { createFairBuffer } from '../../shared/fair-buffer';
import type { CoreErrorCode } from '../../shared/errors';
import type { EndpointContract } from '../contract';
import { defaultDetail } from '../errors/error-catalog';
import { retryAfterSeconds } from '../errors/problem';
import { sendCoreProblem } from '../errors/send-problem';
import { endUnread } from '../request/client-presence';
import type { RequestContext, SendResponse } from '../request/request-context';
import type { Fault, FaultKind } from './fault-kinds';

/** Makes a request fail as its fault says. */
export type FaultInjection = ReturnType<typeof createFaultInjection>;

export interface FaultInjectionSettings {
  publicBaseUrl: string;
  /** Called for each request that fails because of a fault. */
  onFault: (kind: FaultKind) => void;
  /** Whether the process is shutting down. It then delays no response. */
  isShuttingDown: () => boolean;
}

/**
 * The most responses that wait in a process because of a fault. When there are more, the
 * environment with the most waiting responses gets its latest one at once.
 */
const mostDelayed = 100;

const lose = ({ res }: RequestContext): void => {
  endUnread(res, () => res.end());
};

/** The page of a proxy that got no response from the service. */
const badGateway =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n';

function sendBadGateway(context: RequestContext): void {
  const { res } = context;
  context.errorCode = undefined;
  res.writeHead(502, ['Content-Type', 'text/html', 'Content-Length', String(badGateway.length)]);
  res.end(badGateway);
}

/** Sends the headers and the first half of the body. */
function cut(context: RequestContext, send: SendResponse): void {
  const { res } = context;
  const { status, headers, body = '' } = send;
  const bytes = Buffer.from(body);
  res.writeHead(status, headers);
  res.write(bytes.subarray(0, bytes.length >> 1), () => {
    lose(context);
  });
  // Free the slot now. Do not wait until the half is sent: the client may be slow, or earlier
  // responses may be pending.
  context.onWritten();
}

/** Headers that a problem document keeps from the response that it replaces. */
const keptHeaders = new Set(['Environment', 'RateLimit', 'RateLimit-Policy']);

/** A process that shuts down sends its delayed responses within this time. */
const longestStepMs = 250;

/** Delays responses. */
function createDelay(isShuttingDown: () => boolean) {
  const delayed = createFairBuffer<() => void>(mostDelayed);
  return (context: RequestContext, delayMs: number, send: () => void): void => {
    const { res } = context;
    const environmentId = context.principal?.environmentId ?? 0;
    const finish = (): void => {
      clearTimeout(timer);
      res.off('close', finish);
      delayed.remove(environmentId, finish);
      send();
    };
    const until = performance.now() + delayMs;
    const wait = (): void => {
      const leftMs = isShuttingDown() ? 0 : until - performance.now();
      if (leftMs <= 0) finish();
      else timer = setTimeout(wait, Math.min(leftMs, longestStepMs));
    };
    let timer = setTimeout(wait, Math.min(delayMs, longestStepMs));
    res.once('close', finish);
    const displaced = delayed.add(environmentId, finish);
    // Free the slot while the response waits.
    if (displaced !== finish) context.onWritten();
    displaced?.();
  };
}

export function createFaultInjection(settings: FaultInjectionSettings) {
  const { publicBaseUrl, onFault } = settings;
  const delay = createDelay(settings.isShuttingDown);

  function fail(context: RequestContext, kind: FaultKind, code: CoreErrorCode): void {
    const { headers } = context;
    // A real 408 comes from the parser, before authentication.
    for (const name of Object.keys(headers))
      if (code === 'request_timeout' || !keptHeaders.has(name)) Reflect.deleteProperty(headers, name);
    if (code === 'rate_limited') headers['Retry-After'] = String(retryAfterSeconds);
    if (code === 'request_timeout') headers['Connection'] = 'close';
    sendCoreProblem(context, publicBaseUrl, {
      code,
      detail: `The sandbox fault ${kind} caused this response. ${defaultDetail(code)}`,
    });
  }

  /**
   * Applies a fault to the response of a request whose work is done.
   *
   * @param isUnsafe whether a retry could do the work twice
   */
  function failAfter(context: RequestContext, fault: Fault, isUnsafe: boolean, send: SendResponse): void {
    const { res } = context;
    switch (fault.kind) {
      case 'cut_mid_body':
        cut(context, send);
        break;
      case 'delay':
        delay(context, fault.delayMs, () => {
          res.writeHead(send.status, send.headers);
          res.end(send.body);
        });
        break;
      case '503_after_commit':
      case 'outcome_unknown':
        // A retry of a create without a key could record it twice, so a 503 must not ask for one.
        fail(context, fault.kind, isUnsafe ? 'outcome_unknown' : 'database_unavailable');
        break;
      case 'proxy_502_html':
        sendBadGateway(context);
        break;
      default:
        lose(context);
    }
  }

  const codeBefore: Partial<Record<FaultKind, CoreErrorCode>> = {
    '503_before': 'overloaded',
    429: 'rate_limited',
    408: 'request_timeout',
  };

  return {
    /**
     * Sends the failure of a fault that happens before any work.
     *
     * @returns whether it sent one; otherwise the fault changes the response after the work
     */
    failBefore(context: RequestContext, fault: Fault, { errors = [] }: Pick<EndpointContract, 'errors'>) {
      const isUnsafe =
        errors.includes('outcome_unknown') && context.req.headers['idempotency-key'] === undefined;
      onFault(fault.kind);
      context.fault = fault.kind;
      const code = codeBefore[fault.kind];
      if (code) fail(context, fault.kind, code);
      else if (fault.kind === 'lost_before') lose(context);
      else {
        context.interfere = (send) => {
          context.interfere = undefined;
          failAfter(context, fault, isUnsafe, send);
        };
        return false;
      }
      return true;
    },
  };
}
