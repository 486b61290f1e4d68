import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Rejection } from '../../../shared/errors';
import type { Principal } from '../../../shared/scopes';
import { classOf, type TrafficClass } from '../../../shared/traffic-classes';
import type { EndpointContract } from '../../contract';
import type { RequireHttps } from '../../middleware/https-only';
import type { FindOperation } from '../../find-operation';
import type { LimitRate } from '../../middleware/rate-limit';
import { contextOf } from '../../request/request-context';
import { uploadBytes } from '../../request/upload';
import { malformedHttp } from '../../middleware/well-formed';

/** The sender of a request, as determined without the database. */
export type Identity =
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unverified' }
  | { readonly kind: 'verified'; readonly principal: Principal };

export type Identify = (req: IncomingMessage) => Identity;

/** The result of screening a request. */
export interface Screened {
  trafficClass: TrafficClass;
  /** An environment id or a client address. */
  flow: string | number;
  /** Present when the request is rejected. */
  rejection?: Rejection;
  /** Whether to read a body before the request is queued. */
  hasBody: boolean;
  /** The operation's own limit of the body. */
  bodyLimitBytes?: number | undefined;
}

export interface ScreenDependencies {
  findOperation: FindOperation;
  identify: Identify;
  limitRate: LimitRate;
  clientAddress: (req: IncomingMessage) => string;
  /** Undefined if plain HTTP is allowed. */
  requireHttps: RequireHttps | undefined;
}

export type Screen = (req: IncomingMessage, res: ServerResponse) => Screened;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const bodyOf = (req: IncomingMessage, operation: EndpointContract | undefined) => ({
  hasBody: (operation?.body ?? operation?.upload) !== undefined && hasBody(req),
  bodyLimitBytes: operation?.upload && uploadBytes(operation.upload),
});

/**
 * Classifies requests by their headers: it checks the HTTP syntax, HTTPS, the key pair and the rate
 * limit, in this order. It reads no body and does not query the database, so that a flood costs
 * little. The result decides only the queue of a request. The endpoint authenticates again.
 */
export function createScreen(dependencies: ScreenDependencies): Screen {
  const { findOperation, identify, limitRate, clientAddress, requireHttps } = dependencies;

  function screenVerified(
    req: IncomingMessage,
    res: ServerResponse,
    principal: Principal,
    operation: EndpointContract | undefined,
  ): Screened {
    const flow = principal.environmentId;
    const context = contextOf(res);
    context.screenedPrincipal = principal;
    // Requests for unknown paths count too.
    const rate = limitRate(principal, operation);
    // Without the scope, the request must not compete with completions or creates.
    const scope = operation?.scope;
    const hasScope = scope && principal.scopes.includes(scope);
    const trafficClass = hasScope ? classOf(operation) : 'others';
    if (rate.refusal) {
      context.principal = principal;
      Object.assign(context.headers, { Environment: principal.environmentKind }, rate.headers);
      return { trafficClass, flow, hasBody: false, rejection: rate.refusal };
    }
    context.rate = rate;
    return { trafficClass, flow, ...bodyOf(req, operation) };
  }

  const anonymous = (req: IncomingMessage, rejection?: Rejection): Screened => ({
    trafficClass: 'anonymous',
    flow: clientAddress(req),
    hasBody: false,
    ...(rejection && { rejection }),
  });

  return (req, res) => {
    const malformed = malformedHttp(req);
    if (malformed) return anonymous(req, malformed);
    if (/^\/health\/(live|ready)(\?|$)/.test(req.url ?? '')) {
      return { trafficClass: 'health', flow: clientAddress(req), hasBody: false };
    }
    const insecure = requireHttps?.(req, res);
    if (insecure) return anonymous(req, insecure);
    const operation = findOperation(req);
    if (operation) {
      const context = contextOf(res);
      context.route = operation.path;
      context.operationId = operation.operationId;
    }
    const identity = identify(req);
    if (identity.kind === 'verified') return screenVerified(req, res, identity.principal, operation);
    if (identity.kind === 'unverified') {
      return { trafficClass: 'unverified', flow: clientAddress(req), ...bodyOf(req, operation) };
    }
    if (!operation) return anonymous(req);
    return anonymous(req, { code: 'credentials_malformed', detail: identity.detail });
  };
}
