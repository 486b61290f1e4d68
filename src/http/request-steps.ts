import type { IncomingMessage, ServerResponse } from 'node:http';

import { contained, reportUncaught } from '../shared/contained';
import type { Rejection } from '../shared/errors';
import type { RequireHttps } from './middleware/https-only';
import type { LimitRate } from './middleware/rate-limit';
import { malformedHttp, tooManyHeaders } from './middleware/well-formed';
import type { FindPath } from './operations';
import { networkOf } from './request/client-address';
import { type Identified, knownContextOf, RequestContext } from './request/request-context';
import type { RequestRecords } from './request/request-records';
import { takeOriginForm } from './request/request-target';
import { Admission } from './server/admission/admission';
import {
  type limitsOfClasses,
  mostHeaders,
  mostHeldPerConnection,
  readClasses,
} from './server/admission/class-limits';
import { createHeldMemory } from './server/admission/held-memory';
import { createIntake, hasBody, isUnverifiedFile, type Screened } from './server/admission/intake';
import { closeAfter, createRejections, type RejectionSettings } from './server/admission/rejections';
import type { Connections } from './server/connection';
import { createUnsentResponses } from './server/unsent-responses';

/** The sender of a request, as determined without the database. */
export type Identity =
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unverified' }
  | ({ readonly kind: 'verified' } & Identified);

export interface RequestStepsSettings extends RejectionSettings {
  connections: Connections;
  records: RequestRecords;
  /** Undefined if plain HTTP is allowed. */
  requireHttps: RequireHttps | undefined;
  findPath: FindPath;
  identify: (req: IncomingMessage) => Identity;
  limitRate: LimitRate;
  limits: ReturnType<typeof limitsOfClasses>;
  bodyLimitBytes: number;
  /**
   * Verifies the credentials of a request against the database, so that the next screening knows
   * its sender. Never rejects.
   */
  verify: (context: RequestContext) => Promise<void>;
  /** The application, whose first handler is the endpoint. */
  start: (req: IncomingMessage, res: ServerResponse) => void;
  /** Ends a request after an exception before or after its processing. */
  fail: (context: RequestContext) => void;
  /** Receives the events and the state of admission, for the metrics. */
  observer: RejectionSettings['observer'] & {
    watch: (state: Pick<Admission<RequestContext>, 'waiting' | 'inProgress'>) => void;
  };
}

/** A started request whose client has left is finished after this time at the latest. */
const longestAfterCloseMs = 60_000;

/**
 * The path of a request, from top to bottom in the order in which things happen.
 *
 * Without the database, so that a flood costs little:
 *
 * 1. `receive`: Node has read the headers. Ignores requests behind the last response of their
 *    connection, limits the requests and the memory of each connection, and creates the context.
 * 2. `screen`: HTTP syntax, HTTPS, operation, key pair, rate limit.
 * 3. `intake`: rejects at a limited rate. Reads the body, so that a slow one occupies no slot.
 * 4. `admission`: starts the request, queues it, or sheds it with 503.
 *
 * In a slot:
 *
 * 5. `start`: passes it to Express (`app.ts`), whose first handler is `serve.ts`. It authenticates,
 *    checks the scope, parses and validates, calls the handler, and sends the response.
 * 6. `written`: frees the slot, the body and the memory. The response may be sent much later,
 *    because pipelined responses wait for each other, and clients may read slowly.
 * 7. `closed`: the response is sent, or the client has left. Counts and logs the request.
 *
 * The screen finds the operation and the sender once. These are checked again:
 *
 * - the key pair, by `serve.ts`: the screen recognizes it in memory, even if it was just revoked.
 *   Again if the body arrives later, and after a handler has waited outside its slot: the pair may
 *   be revoked meanwhile. Queries that change money check it in SQL;
 * - the sender of an unverified request, when it starts: an earlier request may have verified it;
 * - the client, before a read starts and between its queries: it may have left;
 * - the unread responses of a sender, before a read starts: there may be more of them.
 */
export class RequestSteps {
  private readonly unsent;
  private readonly memory = createHeldMemory();
  private readonly rejections;
  private readonly admission;
  private readonly intake;
  private readonly fail;

  constructor(private readonly settings: RequestStepsSettings) {
    const { observer, limits, bodyLimitBytes } = settings;
    this.fail = contained(settings.fail);
    this.unsent = createUnsentResponses(observer);
    this.rejections = createRejections({ ...settings, failRequest: this.fail });
    this.admission = new Admission<RequestContext>({
      ...limits,
      start: this.start,
      fail: (context) => {
        // It has a slot, which its end frees.
        if (context.state === 'waiting') context.state = 'started';
        this.fail(context);
      },
      shed: contained(this.rejections.shed, this.fail),
      reclassify: this.reclassify,
    });
    this.intake = createIntake({
      bodyLimitBytes,
      rejections: this.rejections,
      admission: this.admission,
      failRequest: this.fail,
    });
    observer.watch(this.admission);
  }

  readonly receive = contained(
    (req: IncomingMessage, res: ServerResponse & { req: IncomingMessage }): void => {
      const { connections, records } = this.settings;
      // Node still emits requests that it read before their connection was closed.
      if (req.socket.destroyed) return;
      const connection = connections.of(req.socket);
      if (!connection.accept(res)) return;
      if (!req.url?.startsWith('/')) takeOriginForm(req);
      const context = new RequestContext(req, res, connection, this.written);
      res.once('close', () => {
        this.closed(context);
      });
      records.begin();
      connection.held += 1;
      this.memory.add(context);
      // Check the counts first: this is cheaper than screening, and a request that is rejected here
      // does not count against the rate limit.
      if (connection.held > mostHeldPerConnection) this.rejections.closeConnection(context);
      else if (req.rawHeaders.length > 2 * mostHeaders) this.rejections.rejectUnread(context, tooManyHeaders);
      else {
        const screened = this.screen(context);
        if (this.memory.isExceededBy(context, screened)) this.rejections.closeConnection(context);
        else this.intake.take(context, screened);
      }
    },
    (req, res) => {
      const context = knownContextOf(res);
      if (context) this.fail(context);
      else req.socket.destroy();
    },
  );

  /** Classifies a request by its headers. Reads no body and does not query the database. */
  private screen(context: RequestContext): Screened {
    const { requireHttps, findPath, identify } = this.settings;
    const { req } = context;
    const anonymous = (rejection?: Rejection): Screened => ({
      trafficClass: 'anonymous',
      flow: networkOf(context.clientAddress),
      rejection,
      hasBody: false,
    });
    const malformed = malformedHttp(req);
    if (malformed) return anonymous(malformed);
    if (/^\/health\/(live|ready)(\?|$)/.test(req.url)) return { ...anonymous(), trafficClass: 'health' };
    const insecure = requireHttps?.(context);
    if (insecure) return anonymous(insecure);
    const found = findPath(req);
    const operation = found?.path.byMethod.get(req.method);
    context.found = found;
    context.operation = operation;
    context.route = operation?.contract.path;
    context.bodyLimitBytes = operation?.bodyLimitBytes;
    const identity = identify(req);
    if (identity.kind === 'verified') return this.screenIdentified(context, identity);
    if (identity.kind === 'malformed')
      return anonymous(operation && { code: 'credentials_malformed', detail: identity.detail });
    return { ...anonymous(), trafficClass: 'unverified', hasBody: hasBody(context) };
  }

  private screenIdentified(context: RequestContext, identified: Identified): Screened {
    const { operation } = context;
    const { principal } = identified;
    const flow = principal.environmentId;
    context.identified = identified;
    // Requests for unknown paths count too.
    const rate = this.settings.limitRate(principal, operation?.ratePolicy ?? 'requests');
    // Without the scope, the request must not compete with completions or creates.
    const scope = operation?.contract.scope;
    const trafficClass = scope && principal.scopes.includes(scope) ? operation.trafficClass : 'others';
    if (rate.refusal) {
      context.principal = principal;
      Object.assign(context.headers, { Environment: principal.environmentKind }, rate.headers);
      return { trafficClass, flow, rejection: rate.refusal, hasBody: false };
    }
    context.rate = rate;
    return { trafficClass, flow, hasBody: hasBody(context) };
  }

  /**
   * Screens an unverified request again, and passes it on if its sender has been verified
   * meanwhile.
   *
   * @returns whether it did, or ended the request after an exception
   */
  private readonly reclassify = (context: RequestContext): boolean => {
    if (context.isClosed) return false;
    try {
      const screened = this.screen(context);
      if (screened.trafficClass === 'unverified') return false;
      this.intake.retake(context, screened);
    } catch (error) {
      reportUncaught(error);
      this.fail(context);
    }
    return true;
  };

  private readonly start = (context: RequestContext): void => {
    const isFlowFull = readClasses.has(context.trafficClass) && this.unsent.isFull(context.flow);
    if (context.isClosed || isFlowFull) {
      this.admission.finish(context);
      this.rejections.shed(context);
      return;
    }
    context.state = 'started';
    if (isUnverifiedFile(context)) this.startVerified(context);
    else this.settings.start(context.req, context.res);
  };

  /** Verifies the sender of a file first. The file then counts against its environment's budget. */
  private readonly startVerified = contained(
    async (context: RequestContext) => {
      await this.settings.verify(context);
      const screened = context.isClosed ? undefined : this.screen(context);
      if (screened?.trafficClass === 'unverified') {
        // The endpoint rejects this request, because it authenticates before it reads the file.
        closeAfter(context);
        this.settings.start(context.req, context.res);
        return;
      }
      clearTimeout(context.finishTimer);
      context.state = screened ? 'waiting' : 'finished';
      this.admission.finish(context);
      if (screened) this.intake.retake(context, screened);
    },
    (context) => {
      this.fail(context);
    },
  );

  /** The response is written. */
  private readonly written = contained((context: RequestContext) => {
    const { res, flow } = context;
    context.collected = undefined;
    this.release(context);
    this.finish(context);
    if (res.writableLength === 0) return;
    context.isUnsent = true;
    this.unsent.add(res, flow);
  });

  /**
   * The response is sent, or the client has left. A client that leaves does not cancel its SQL
   * query. The request therefore keeps its slot until the endpoint has written a response, even
   * if the client no longer reads it.
   */
  private readonly closed = contained((context: RequestContext) => {
    const { res, connection } = context;
    connection.remove(res);
    this.settings.records.end(context);
    if (context.isUnsent) this.unsent.remove(res);
    const leftWhileWaiting = !context.isClosed && context.state === 'waiting';
    if (leftWhileWaiting) context.rate?.putBack();
    this.release(context);
    this.admission.resume(connection);
    if (context.state === 'started')
      context.finishTimer = setTimeout(this.finish, longestAfterCloseMs, context).unref();
  });

  private release(context: RequestContext): void {
    if (context.isClosed) return;
    context.isClosed = true;
    context.connection.held -= 1;
    if (context.counted) this.intake.release(context);
    this.memory.remove(context);
  }

  private readonly finish = contained((context: RequestContext) => {
    if (context.state !== 'started') return;
    context.state = 'finished';
    clearTimeout(context.finishTimer);
    this.admission.finish(context);
  });
}
