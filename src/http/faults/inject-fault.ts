import type { IncomingMessage, ServerResponse } from 'node:http';

import { whenWritten } from '../../internals/express-messages';
import type { ErrorCode } from '../../shared/errors';
import { defaultDetail } from '../errors/error-catalog';
import { retryAfterSeconds } from '../errors/problem';
import { sendProblem } from '../errors/send-problem';
import { endUnread } from '../request/client-presence';
import { contextOf, type SendResponse } from '../request/request-context';
import type { Fault, FaultKind } from './fault-kinds';

/** Makes a request fail as its fault says. */
export interface FaultInjection {
  /**
   * Sends the failure of a fault that happens before any work.
   *
   * @returns whether it did; otherwise the failure happens to the response, after the work
   */
  failBefore: (res: ServerResponse, fault: Fault) => boolean;
}

export interface FaultInjectionSettings {
  publicBaseUrl: string;
  /** Called for each request that fails because of a fault. */
  onFault: (kind: FaultKind) => void;
}

/** The most responses that wait in a process because of a fault. Others are sent at once. */
const mostDelayed = 100;

const lose = (res: ServerResponse): void => {
  endUnread(res, () => res.end());
};

/** As a proxy sends it that got no response from the service. */
const badGateway =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n';

function sendBadGateway(res: ServerResponse): void {
  contextOf(res).errorCode = undefined;
  res.writeHead(502, ['Content-Type', 'text/html', 'Content-Length', String(badGateway.length)]);
  res.end(badGateway);
}

/** Sends the headers and the first half of the body. */
function cut(res: ServerResponse, send: SendResponse): void {
  const { status, headers, body = '' } = send;
  const bytes = Buffer.from(body);
  res.writeHead(status, headers);
  res.write(bytes.subarray(0, bytes.length >> 1), () => {
    lose(res);
  });
}

/** Headers that a problem document keeps from the response that it replaces. */
const keptHeaders = new Set(['Environment', 'RateLimit', 'RateLimit-Policy']);

type Written = ServerResponse & { [whenWritten]?: () => void };

/** Delays responses. Frees what their requests hold, so that others need not wait. */
function createDelay() {
  let delayed = 0;
  return (res: Written, delayMs: number, send: () => void): void => {
    if (delayed >= mostDelayed) {
      send();
      return;
    }
    delayed += 1;
    const finish = (): void => {
      clearTimeout(timer);
      res.off('close', finish);
      delayed -= 1;
      send();
    };
    const timer = setTimeout(finish, delayMs);
    res.once('close', finish);
    res[whenWritten]?.();
  };
}

export function createFaultInjection({ publicBaseUrl, onFault }: FaultInjectionSettings): FaultInjection {
  const delay = createDelay();

  function fail(res: ServerResponse, kind: FaultKind, code: ErrorCode): void {
    const { headers } = contextOf(res);
    // A real 408 comes from the parser, before authentication.
    for (const name of Object.keys(headers))
      if (code === 'request_timeout' || !keptHeaders.has(name)) Reflect.deleteProperty(headers, name);
    if (code === 'rate_limited') headers['Retry-After'] = String(retryAfterSeconds);
    if (code === 'request_timeout') headers['Connection'] = 'close';
    sendProblem(res, publicBaseUrl, {
      code,
      detail: `The sandbox fault ${kind} caused this response. ${defaultDetail(code)}`,
    });
  }

  /** What happens to the response of a request whose work is done. */
  function failAfter(req: IncomingMessage, res: ServerResponse, fault: Fault, send: SendResponse): void {
    switch (fault.kind) {
      case 'cut_mid_body':
        cut(res, send);
        break;
      case 'delay':
        delay(res, fault.delayMs, () => {
          res.writeHead(send.status, send.headers);
          res.end(send.body);
        });
        break;
      case '503_after_commit':
        fail(res, fault.kind, 'database_unavailable');
        break;
      case 'outcome_unknown':
        // With a key, a retry is safe. The service then sends an error that asks for one.
        fail(
          res,
          fault.kind,
          req.headers['idempotency-key'] === undefined ? 'outcome_unknown' : 'database_unavailable',
        );
        break;
      case 'proxy_502_html':
        sendBadGateway(res);
        break;
      default:
        lose(res);
    }
  }

  const codeBefore: Partial<Record<FaultKind, ErrorCode>> = {
    '503_before': 'overloaded',
    429: 'rate_limited',
    408: 'request_timeout',
  };

  return {
    failBefore(res, fault) {
      onFault(fault.kind);
      const context = contextOf(res);
      context.fault = fault.kind;
      const code = codeBefore[fault.kind];
      if (code) fail(res, fault.kind, code);
      else if (fault.kind === 'lost_before') lose(res);
      else {
        context.interfere = (send) => {
          delete context.interfere;
          failAfter(res.req, res, fault, send);
        };
        return false;
      }
      return true;
    },
  };
}
