import { contained } from '../../../shared/contained';
import type { Rejection } from '../../../shared/errors';
import type { TrafficClass } from '../../../shared/traffic-classes';
import { isLeftUnread } from '../../request/body-bytes';
import { afterNextRead, hasLeft } from '../../request/client-presence';
import type { BodyIntake } from './body-intake';
import type { HeldRequest } from './held-request';
import { leaveBody, type Rejections } from './rejections';
import type { Screened } from './screen';

/** Passes screened requests on to their queue, or rejects them. */
export interface Intake {
  /** Takes a new request, unless its client disconnects at once. */
  take: (request: HeldRequest, screened: Screened) => void;
  /** Takes a request that was screened again. */
  retake: (request: HeldRequest, screened: Screened) => void;
}

/** Classes whose first request on a connection does not wait for the next read. */
const startsAtOnce = new Set<TrafficClass>(['completions', 'creates', 'health']);

/**
 * Whether a file is too large to be read before its sender is verified. The memory for bodies of
 * unverified senders is small, because anybody can send them.
 */
export const isUnverifiedFile = ({ trafficClass, bodyLimitBytes, bodyBytes, req }: HeldRequest): boolean =>
  trafficClass === 'unverified' && bodyLimitBytes !== undefined && bodyBytes === 0 && isLeftUnread(req);

export function createIntake(settings: {
  rejections: Rejections;
  submitWithBody: BodyIntake['submitWithBody'];
  submit: (request: HeldRequest) => void;
  failRequest: (request: HeldRequest) => void;
}): Intake {
  const { rejections, submitWithBody, submit, failRequest } = settings;

  function retake(request: HeldRequest, screened: Screened): void {
    const { trafficClass, flow, rejection, hasBody, bodyLimitBytes } = screened;
    request.trafficClass = trafficClass;
    request.flow = flow;
    request.bodyLimitBytes = bodyLimitBytes;
    if (hasBody && isUnverifiedFile(request)) submit(request);
    else if (hasBody) submitWithBody(request);
    else if (isLeftUnread(request.req)) skipBody(request, rejection);
    else submitOrReject(request, rejection);
  }

  function submitOrReject(request: HeldRequest, rejection: Rejection | undefined): void {
    if (rejection) rejections.pace(request, rejection);
    else submit(request);
  }

  /** Keeps the connection if the unwanted body has arrived together with the headers. */
  function skipBody(request: HeldRequest, rejection: Rejection | undefined): void {
    setImmediate(submitUnread, request, rejection);
  }

  const submitUnread = contained((request: HeldRequest, rejection: Rejection | undefined) => {
    if (request.isClosed) return;
    if (!request.req.complete) leaveBody(request);
    submitOrReject(request, rejection);
  }, failRequest);

  const takeIfPresent = contained((request: HeldRequest, screened: Screened) => {
    request.connection.isSettled = true;
    // Close the connection: Node leaves it open if it ends in the middle of a later request.
    if (hasLeft(request.req)) request.req.socket.destroy();
    else retake(request, screened);
  }, failRequest);

  return {
    /**
     * The first request of a connection waits until Node has read the connection again. If the
     * client has left by then, the request costs no work. Abandoned connections would otherwise
     * delay new ones, because Node accepts one connection in each turn of the event loop.
     */
    take(request, screened) {
      const { req, connection } = request;
      // Pause the connection: Node resumes it if the end of the body has arrived together with the
      // headers.
      if (!screened.hasBody && isLeftUnread(req)) req.socket.pause();
      // A rejection costs less than the wait.
      if (screened.rejection || connection.isSettled || startsAtOnce.has(screened.trafficClass)) {
        retake(request, screened);
        return;
      }
      afterNextRead(() => {
        takeIfPresent(request, screened);
      });
    },
    retake,
  };
}
