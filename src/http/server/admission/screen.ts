import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Rejection } from '../../../shared/errors';
import type { Principal } from '../../../shared/scopes';
import { classOfScope, type TrafficClass } from '../../../shared/traffic-classes';
import type { EndpointContract } from '../../endpoint';
import type { RequireHttps } from '../../middleware/https-only';
import type { OperationOf } from '../../operation-of';
import type { LimitRate } from '../../middleware/rate-limit';
import { contextOf } from '../../request/request-context';
import { malformedHttp } from '../../middleware/well-formed';

/** What memory tells of a request's credentials. */
export type Identity =
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unverified' }
  | { readonly kind: 'verified'; readonly principal: Principal };

export type Identify = (req: IncomingMessage) => Identity;

/** What becomes of a request, by its headers. */
export interface Screened {
  trafficClass: TrafficClass;
  /** An environment, or a client address. */
  flow: string | number;
  /** Present when nothing but a response is due. */
  rejection?: Rejection;
  /** Whether the body should be read before the request waits for its turn. */
  hasBody: boolean;
}

export interface ScreenDependencies {
  operationOf: OperationOf;
  identify: Identify;
  limitRate: LimitRate;
  clientAddress: (req: IncomingMessage) => string;
  /** Absent where plain HTTP is allowed. */
  requireHttps: RequireHttps | undefined;
}

export type Screen = (req: IncomingMessage, res: ServerResponse) => Screened;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Sorts requests by their headers alone: well-formed HTTP, HTTPS, key pair and rate limit, in this
 * order. It reads no body and asks no database, so that a flood costs as little as possible, and it
 * decides only whose turn a request is. The endpoint authenticates again.
 */
export function createScreen(dependencies: ScreenDependencies): Screen {
  const { operationOf, identify, limitRate, clientAddress, requireHttps } = dependencies;

  function screenVerified(
    req: IncomingMessage,
    res: ServerResponse,
    principal: Principal,
    operation: EndpointContract | undefined,
  ): Screened {
    const flow = principal.environmentId;
    contextOf(res).screenedPrincipal = principal;
    const context = contextOf(res);
    // Whatever is asked for counts, also what does not exist.
    const rate = limitRate(principal, operation?.scope);
    // A pair that may not complete takes no turn from those that may.
    const scope = operation && principal.scopes.includes(operation.scope) ? operation.scope : undefined;
    const trafficClass = scope ? (operation?.trafficClass ?? classOfScope(scope)) : 'others';
    if (rate.refusal) {
      context.principal = principal;
      Object.assign(context.headers, { Environment: principal.environmentKind }, rate.headers);
      return { trafficClass, flow, hasBody: false, rejection: rate.refusal };
    }
    context.rate = rate;
    return { trafficClass, flow, hasBody: operation?.body !== undefined && hasBody(req) };
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
    const operation = operationOf(req);
    if (operation) contextOf(res).route = operation.path;
    const identity = identify(req);
    if (identity.kind === 'verified') return screenVerified(req, res, identity.principal, operation);
    if (identity.kind === 'unverified') {
      const bodied = operation?.body !== undefined && hasBody(req);
      return { trafficClass: 'unverified', flow: clientAddress(req), hasBody: bodied };
    }
    if (!operation) return anonymous(req);
    return anonymous(req, { code: 'credentials_malformed', detail: identity.detail });
  };
}
