import { contained } from '../../../shared/contained';
import type { Rejection } from '../../../shared/errors';
import type { TrafficClass } from '../../../shared/traffic-classes';
import { defaultDetail } from '../../errors/error-catalog';
import { leaveUnread } from '../../request/body-bytes';
import type { RequestContext } from '../../request/request-context';
import { createPacedRejections } from './paced-rejections';

export interface RejectionSettings {
  reject: (request: RequestContext, rejection: Rejection) => void;
  /** Sends 503 `overloaded`. */
  shed: (request: RequestContext) => void;
  observer: {
    onShed: (trafficClass: TrafficClass) => void;
    /**
     * Called when a connection is closed because its client pipelined too many requests or read no
     * responses.
     */
    onConnectionClosed: () => void;
  };
}

/** Ways to reject a request before it starts. */
export type Rejections = ReturnType<typeof createRejections>;

const overloaded: Rejection = { code: 'overloaded', detail: defaultDetail('overloaded') };

export function createRejections({
  reject,
  shed,
  failRequest,
  observer,
}: RejectionSettings & { failRequest: (request: RequestContext) => void }) {
  const paced = createPacedRejections<RequestContext>({
    send: contained((request: RequestContext, rejection: Rejection) => {
      if (!request.isClosed) reject(request, rejection);
    }, failRequest),
    onOverflow: closeConnection,
  });

  function closeConnection({ req: { socket } }: RequestContext): void {
    // Other requests of the connection stay queued until its 'close' event.
    if (socket.destroyed) return;
    observer.onConnectionClosed();
    socket.destroy();
  }

  function countShed({ rate, trafficClass }: RequestContext): void {
    rate?.putBack();
    observer.onShed(trafficClass);
  }

  function rejectUnread(request: RequestContext, rejection: Rejection): void {
    leaveBody(request);
    reject(request, rejection);
  }

  return {
    /** Rejects a request, at a limited rate. */
    pace: paced.add,
    /** Rejects a request with 503 `overloaded`. It does not count against the rate limit. */
    shed: (request: RequestContext) => {
      if (request.isClosed) return;
      countShed(request);
      // A client that pipelines sends its next request as soon as this one is rejected.
      if (request.connection.held > 1) paced.add(request, overloaded);
      else shed(request);
    },
    /** Rejects a request at once, does not read the rest of its body, and closes the connection. */
    rejectUnread,
    /** Like `rejectUnread`, with 503 `overloaded`. */
    shedUnread(request: RequestContext) {
      countShed(request);
      rejectUnread(request, overloaded);
    },
    /** Closes a connection without a response. */
    closeConnection,
  };
}

/** Makes the response to a request the last one of its connection. */
export function closeAfter({ res, connection }: RequestContext): void {
  res.shouldKeepAlive = false;
  connection.endWith(res);
}

/** Does not read the rest of a body, and closes the connection after the response. */
export function leaveBody(request: RequestContext): void {
  leaveUnread(request.req);
  closeAfter(request);
}
