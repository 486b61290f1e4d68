import type { RequestListener, ServerResponse } from 'node:http';

import { contained } from '../../../shared/contained';
import type { Rejection } from '../../../shared/errors';
import type { TrafficClass } from '../../../shared/traffic-classes';
import { defaultDetail } from '../../errors/error-catalog';
import { leaveUnread } from '../../request/body-bytes';
import { contextOf } from '../../request/request-context';
import { endConnectionWith } from '../last-response';
import type { HeldRequest } from './held-request';
import { createPacedRejections } from './paced-rejections';

export interface RejectionSettings {
  reject: (res: ServerResponse, rejection: Rejection) => void;
  /** Sends 503 `overloaded`. */
  shed: RequestListener;
  observer: {
    onShed: (trafficClass: TrafficClass) => void;
    /**
     * Called when a connection is closed because its client pipelined too many requests or read no
     * responses.
     */
    onConnectionClosed: () => void;
  };
}

/** Ways to reject a held request. */
export interface Rejections {
  /** Rejects a request, at a limited rate. */
  pace: (request: HeldRequest, rejection: Rejection) => void;
  /** Rejects a request with 503 `overloaded`. It does not count against the rate limit. */
  shed: (request: HeldRequest) => void;
  /** Rejects a request at once, does not read the rest of its body, and closes the connection. */
  rejectUnread: (request: HeldRequest, rejection: Rejection) => void;
  /** Like `rejectUnread`, with 503 `overloaded`. */
  shedUnread: (request: HeldRequest) => void;
  /** Closes a connection without a response. */
  closeConnection: (request: HeldRequest) => void;
}

const overloaded: Rejection = { code: 'overloaded', detail: defaultDetail('overloaded') };

export function createRejections({
  reject,
  shed,
  failRequest,
  observer,
}: RejectionSettings & { failRequest: (request: HeldRequest) => void }): Rejections {
  const paced = createPacedRejections<HeldRequest>({
    send: contained((request: HeldRequest, rejection: Rejection) => {
      if (!request.isClosed) reject(request.res, rejection);
    }, failRequest),
    onOverflow: closeConnection,
  });

  function closeConnection({ req: { socket } }: HeldRequest): void {
    // Other requests of the connection stay queued until its 'close' event.
    if (socket.destroyed) return;
    observer.onConnectionClosed();
    socket.destroy();
  }

  function countShed({ res, trafficClass }: HeldRequest): void {
    contextOf(res).rate?.putBack();
    observer.onShed(trafficClass);
  }

  function rejectUnread(request: HeldRequest, rejection: Rejection): void {
    leaveBody(request);
    reject(request.res, rejection);
  }

  return {
    pace: paced.add,
    shed(request) {
      if (request.isClosed) return;
      countShed(request);
      // A client that pipelines sends its next request as soon as this one is rejected.
      if (request.connection.held > 1) paced.add(request, overloaded);
      else shed(request.req, request.res);
    },
    rejectUnread,
    shedUnread(request) {
      countShed(request);
      rejectUnread(request, overloaded);
    },
    closeConnection,
  };
}

/** Makes the response to a request the last one of its connection. */
export function closeAfter({ res }: HeldRequest): void {
  res.shouldKeepAlive = false;
  endConnectionWith(res);
}

/** Does not read the rest of a body, and closes the connection after the response. */
export function leaveBody(request: HeldRequest): void {
  leaveUnread(request.req);
  closeAfter(request);
}
