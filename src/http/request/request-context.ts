import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Request, Response } from 'express';

import type { InputError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import type { TrafficClass } from '../../shared/traffic-classes';
import type { LimitRate } from '../middleware/rate-limit';
import type { FoundPath, Operation } from '../operations';
import type { CountedBody } from '../server/admission/body-budget';
import type { ClientConnection } from '../server/connection';
import { clientOf } from './client-address';
import type { LogFields } from './log-line';

/** A complete response that is about to be sent. */
export interface SendResponse {
  readonly status: number;
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: Buffer | string | undefined;
}

/** The sender of a request, whose secret was verified against a cached key pair. */
export interface Identified {
  /** The cached pair. Only the cache of key pairs knows its content. */
  readonly keyPair: object;
  readonly principal: Principal;
}

// Safe to log. Excludes an API-Secret that a client sends in this header by mistake.
const wellFormedRequestId = /^(?!.*cps_)[A-Za-z0-9._-]{1,128}$/i;

function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && wellFormedRequestId.test(sent) ? sent : randomUUID();
}

/**
 * The state of one request, from its headers to the end of its response. Every step of its path
 * gets this object. Handlers do not see it.
 */
export class RequestContext {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  /**
   * The full address, from X-Forwarded-For of a trusted proxy. Personal data: use it for the log
   * and for limits only.
   */
  readonly clientAddress: string;
  /** Whether the client used TLS. */
  readonly isSecure: boolean;
  readonly startedAt = performance.now();
  /** Response headers in addition to those of every response. Use one spelling for each name. */
  readonly headers: Record<string, string> = {};

  // The screen sets these. They decide the request's queue.
  trafficClass: TrafficClass = 'anonymous';
  /** An environment id or a client address. */
  flow: string | number = '';
  /** The path of an operation that matches, and its parameters as sent. */
  found: FoundPath | undefined;
  operation: Operation | undefined;
  identified: Identified | undefined;
  /** The token that the screen took from the rate limit. If absent, the endpoint takes one. */
  rate: ReturnType<LimitRate> | undefined;

  // Admission counts these.
  state: 'waiting' | 'started' | 'finished' = 'waiting';
  /**
   * Whether the response is written or the client has left. A started request may still be running.
   */
  isClosed = false;
  /** When it began to wait, in milliseconds of the admission's clock. */
  since = 0;
  /** The approximate size of the request in memory, without its body, until it is closed. */
  heldBytes = 0;
  /** The limit of the body, if its operation has its own. */
  bodyLimitBytes: number | undefined;
  /** Bytes of the body that have arrived. */
  arrivedBytes = 0;
  /** The collected body, until the response is written. */
  collected: Promise<Buffer> | undefined;
  /** Whether the whole body, or an error in it, had arrived before the request started. */
  hasArrived = false;
  /** The request's share of the body budget. */
  counted: CountedBody | undefined;
  /** Whether its written response counts as unsent. */
  isUnsent = false;
  /** Finishes a request whose client has left and whose endpoint never writes a response. */
  finishTimer: NodeJS.Timeout | undefined;

  // The endpoint sets these, for the response, the metrics and the log.
  /** Authenticated against the database, or rejected by the rate limit. */
  principal: Principal | undefined;
  /**
   * The documented path of the operation or page. Never the URL, because its query may contain
   * personal data.
   */
  route: string | undefined;
  /** Fields that the operation adds to the request's log line. */
  logFields: LogFields | undefined;
  /** The code of the error response. */
  errorCode: string | undefined;
  /** The kind of fault that the client asked for, in the test environment. */
  fault: string | undefined;
  /** Sends the failure of this fault instead of the response. */
  interfere: ((send: SendResponse) => void) | undefined;
  /** The content of an error response. */
  problem: { readonly detail: string; readonly errors: readonly InputError[] } | undefined;
  /** The body as sent, for requests of test environments only. Contains personal data. */
  body: Readonly<Record<string, unknown>> | undefined;
  /** The decision of the log sampling; undefined before it is made. */
  isLogged: boolean | undefined;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    readonly connection: ClientConnection,
    private readonly written: (context: RequestContext) => void = () => undefined,
  ) {
    // The server creates requests and responses with Express's prototypes.
    this.req = req as Request;
    this.res = res as Response;
    this.requestId = requestIdOf(req);
    const client = clientOf(req, connection.peer);
    this.clientAddress = client.address;
    this.isSecure = client.usesTls;
    (res as WithContext).context = this;
  }

  /**
   * Releases what the request holds, such as its slot. The response calls this when it is written.
   * It may be sent much later, after earlier responses on its connection.
   */
  onWritten(): void {
    this.written(this);
  }
}

/** Verifies the credentials of a request. */
export type Authenticate = (context: RequestContext) => Promise<Principal>;

type WithContext = ServerResponse & { context?: RequestContext | undefined };

/** Undefined before the request's context is created, and for responses of other servers. */
export const knownContextOf = (res: WithContext): RequestContext | undefined => res.context;

/** The context of a request, for Express's handlers, which get only its response. */
export function contextOf({ context }: WithContext): RequestContext {
  if (!context) throw new Error('the request has no context');
  return context;
}
