import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Rejection } from '../../../shared/errors';
import type { TrafficClass } from '../../../shared/traffic-classes';
import { collectBody, isLeftUnread, leaveUnread } from '../../request/body-bytes';
import { afterNextRead, hasLeft } from '../../request/client-presence';
import { defaultDetail } from '../../errors/error-catalog';
import { whenWritten } from '../../../internals/express-messages';
import { contextOf } from '../../request/request-context';
import { createUnsentResponses, isBackedUp } from '../unsent-responses';
import { type Admissible, createAdmission } from './admission';
import { type CountedBody, createBodyBudget } from './body-budget';
import { clearConnection, type Connection, newConnection } from './fair-queue';
import { createPacedRejections } from './paced-rejections';
import { endConnectionWith } from '../last-response';
import type { Screen, Screened } from './screen';
import { type limitsOfClasses, mostHeaders, mostHeldPerConnection, readClasses } from './class-limits';

export interface GateSettings {
  screen: Screen;
  limits: ReturnType<typeof limitsOfClasses>;
  bodyLimitBytes: number;
  /** Works on a request. */
  start: RequestListener;
  reject: (res: ServerResponse, rejection: Rejection) => void;
  /** Sends 503 `overloaded`. */
  shed: RequestListener;
  observer: GateObserver;
}

/** Told what admission does, for the metrics. */
export interface GateObserver {
  onShed: (trafficClass: TrafficClass) => void;
  /**
   * A connection was closed because it sent too many requests without waiting for responses, or did
   * not read them.
   */
  onConnectionClosed: () => void;
  watch: (state: AdmissionState) => void;
}

export interface AdmissionState {
  waiting: (trafficClass: TrafficClass) => number;
  inProgress: (trafficClass: TrafficClass) => number;
}

/** What a request is told that is shed behind others on its connection. */
const overloadedRejection: Rejection = { code: 'overloaded', detail: defaultDetail('overloaded') };
/** When a client has gone, its request is over at the latest after this time. */
const longestAfterCloseMs = 60_000;

const tooManyHeaders: Rejection = {
  code: 'headers_too_large',
  detail: `The request has more than ${mostHeaders} headers.`,
};

interface HeldRequest extends Admissible {
  readonly req: IncomingMessage;
  readonly res: ServerResponse & { req: IncomingMessage };
  readonly connection: Connection & {
    held: number;
    /** Its end would have been read if its client had left right after the first request. */
    isSettled: boolean;
  };
  state: 'waiting' | 'started' | 'over';
  /** The client has its response, or has gone. A request in progress then goes on. */
  isClosed: boolean;
  /** How much of its body has arrived, in bytes. */
  bodyBytes: number;
  counted: CountedBody | undefined;
  afterClose?: NodeJS.Timeout;
}

/**
 * Writes and health checks start at once: only reads and strangers are worth waiting for the end of
 * their connection.
 */
const startsAtOnce = new Set<TrafficClass>(['completions', 'creates', 'health']);

const connectionKey = Symbol('connection');
type WithConnection = Duplex & { [connectionKey]?: HeldRequest['connection'] };
const heldKey = Symbol('held request');
type WithHeld = ServerResponse & { [heldKey]?: HeldRequest; [whenWritten]?: () => void };

function connectionOf(socket: WithConnection): HeldRequest['connection'] {
  const known = socket[connectionKey];
  if (known) return known;
  const connection = { ...newConnection(() => isBackedUp(socket)), held: 0, isSettled: false };
  socket[connectionKey] = connection;
  // Requests of a closed connection leave the queues.
  socket.once('close', () => {
    clearConnection(connection);
  });
  return connection;
}

/**
 * Stands between Node's HTTP server and Express: screens a request by its headers, reads its body,
 * and starts it when it is its turn.
 *
 * A request is in progress until its response is written, not until it is sent: pipelined responses
 * wait for each other, and clients may read slowly (see `unsent-responses.ts`). A body is read
 * before the request waits, so that a slow body holds no place.
 */
export function createGate(settings: GateSettings): RequestListener {
  const { screen, limits, bodyLimitBytes, start, reject, shed, observer } = settings;
  const bodies = createBodyBudget(bodyLimitBytes);
  const unsent = createUnsentResponses(observer);

  const admission = createAdmission<HeldRequest>({
    ...limits,
    start(request) {
      // The client has left.
      if (request.isClosed) {
        admission.finish(request);
        return;
      }
      if (readClasses.has(request.trafficClass) && unsent.isFull(request.flow)) {
        admission.finish(request);
        shedRequest(request);
        return;
      }
      request.state = 'started';
      contextOf(request.res).isStarted = true;
      start(request.req, request.res);
    },
    shed: shedRequest,
    reclassify(request) {
      if (request.isClosed) return false;
      const screened = screen(request.req, request.res);
      if (screened.trafficClass === 'unverified') return false;
      place(request, screened);
      return true;
    },
  });
  const rejections = createPacedRejections<HeldRequest>({
    send({ res, isClosed }, rejection) {
      if (!isClosed) reject(res, rejection);
    },
    onOverflow({ req }) {
      closeConnection(req);
    },
  });
  observer.watch(admission);

  /** Nothing was done for a shed request, so it costs no token of its rate limit. */
  function countShed({ res, trafficClass }: HeldRequest): void {
    contextOf(res).rate?.putBack();
    observer.onShed(trafficClass);
  }

  function shedRequest(request: HeldRequest): void {
    const { req, res, isClosed } = request;
    if (isClosed) return;
    countShed(request);
    // A client that pipelines sends the next request as soon as this one is rejected.
    if (request.connection.held > 1) rejections.add(request, overloadedRejection);
    else shed(req, res);
  }

  function closeConnection({ socket }: IncomingMessage): void {
    observer.onConnectionClosed();
    socket.destroy();
  }

  /**
   * The response is written, or nobody waits for it any more. One function for all requests, so
   * that none is made for each.
   */
  function close(request: HeldRequest): void {
    if (request.isClosed) return;
    request.isClosed = true;
    request.connection.held -= 1;
    bodies.release(request);
  }

  function finish(request: HeldRequest): void {
    if (request.state !== 'started') return;
    request.state = 'over';
    clearTimeout(request.afterClose);
    admission.finish(request);
  }

  function onWritten(this: WithHeld): void {
    const request = this[heldKey];
    if (!request) return;
    unsent.add(this, request.flow);
    close(request);
    finish(request);
  }

  /**
   * A client that goes away does not end its statement, so its place stays taken until the endpoint
   * has written a response that nobody reads.
   */
  function onClose(this: WithHeld): void {
    const request = this[heldKey];
    if (!request) return;
    unsent.remove(this);
    // The client left before its turn, so nothing was done.
    if (!request.isClosed && request.state === 'waiting') contextOf(this).rate?.putBack();
    close(request);
    admission.resume(request.connection);
    if (request.state === 'started') {
      request.afterClose = setTimeout(finish, longestAfterCloseMs, request).unref();
    }
  }

  /** Makes the response of a request, whatever it says, the last of the connection. */
  function closeAfter({ res }: HeldRequest): void {
    res.shouldKeepAlive = false;
    endConnectionWith(res);
  }

  /** Leaves the rest of the body on the connection, which the response ends. */
  function leaveBody(request: HeldRequest): void {
    leaveUnread(request.req);
    closeAfter(request);
  }

  function rejectUnread(request: HeldRequest, rejection: Rejection): void {
    leaveBody(request);
    reject(request.res, rejection);
  }

  /**
   * Places a request of a new connection only after Node has read the connection once more. A
   * client that has left by then costs no work. Abandoned connections would otherwise delay new
   * ones, because Node accepts one in each turn of the event loop.
   */
  function placeUnlessLeft(request: HeldRequest, screened: Screened): void {
    const { req, connection } = request;
    const { trafficClass, rejection } = screened;
    // Node resumes at the end of the body, if that was read together with the headers.
    if (!screened.hasBody && isLeftUnread(req)) req.socket.pause();
    // A rejection costs less than the wait.
    if (rejection || connection.isSettled || startsAtOnce.has(trafficClass)) {
      place(request, screened);
      return;
    }
    afterNextRead(() => {
      connection.isSettled = true;
      if (!hasLeft(req)) place(request, screened);
    });
  }

  function place(request: HeldRequest, { trafficClass, flow, rejection, hasBody }: Screened): void {
    request.trafficClass = trafficClass;
    request.flow = flow;
    if (hasBody) submitWithBody(request);
    else if (isLeftUnread(request.req)) submitUnread(request, rejection);
    else submitOrReject(request, rejection);
  }

  function submitOrReject(request: HeldRequest, rejection: Rejection | undefined): void {
    if (rejection) rejections.add(request, rejection);
    else admission.submit(request);
  }

  /**
   * A request whose body nobody wants keeps its connection when the body came along with the
   * headers.
   */
  function submitUnread(request: HeldRequest, rejection: Rejection | undefined): void {
    setImmediate(() => {
      if (request.isClosed) return;
      if (!request.req.complete) leaveBody(request);
      submitOrReject(request, rejection);
    });
  }

  /** @returns whether the rest of the body should be read */
  function admitBody(request: HeldRequest, bytes: number): boolean {
    if (request.isClosed) return false;
    request.bodyBytes = bytes;
    if (bodies.count(request, bytes)) return true;
    countShed(request);
    rejectUnread(request, overloadedRejection);
    return false;
  }

  function submitWithBody(request: HeldRequest): void {
    // A key pair that was verified meanwhile takes the body with it to its environment.
    if (request.bodyBytes > 0 && !admitBody(request, request.bodyBytes)) return;
    const submit = (): void => {
      if (!request.isClosed) admission.submit(request);
    };
    // The endpoint reads the body again and reports its errors.
    collectBody(request.req, bodyLimitBytes, {
      admit: (bytes) => admitBody(request, bytes),
      onUnread() {
        closeAfter(request);
      },
    }).then(submit, submit);
  }

  return (req, res: WithHeld & { req: IncomingMessage }) => {
    const connection = connectionOf(req.socket);
    connection.held += 1;
    const request: HeldRequest = {
      // Until the request is screened.
      trafficClass: 'anonymous',
      flow: '',
      connection,
      since: 0,
      req,
      res,
      state: 'waiting',
      isClosed: false,
      bodyBytes: 0,
      counted: undefined,
    };
    res[heldKey] = request;
    res[whenWritten] = onWritten;
    res.once('close', onClose);
    // Counting is cheaper than screening, and a request that is not served takes no token from its
    // rate limit.
    if (connection.held > mostHeldPerConnection) closeConnection(req);
    else if (req.rawHeaders.length > 2 * mostHeaders) rejectUnread(request, tooManyHeaders);
    else placeUnlessLeft(request, screen(req, res));
  };
}
