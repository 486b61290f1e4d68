import { contained } from '../../../shared/contained';
import type { Rejection } from '../../../shared/errors';
import type { TrafficClass } from '../../../shared/traffic-classes';
import { isLeftUnread } from '../../request/body-bytes';
import { afterNextRead, hasLeft } from '../../request/client-presence';
import type { RequestContext } from '../../request/request-context';
import type { Admission } from './admission';
import { createBodyIntake } from './body-intake';
import { leaveBody, type Rejections } from './rejections';

/** The result of screening a request. */
export interface Screened {
  trafficClass: TrafficClass;
  /** An environment id or a client address. */
  flow: string | number;
  /** Present when the request is rejected. */
  rejection?: Rejection | undefined;
  /** Whether to read a body before the request is queued. */
  hasBody: boolean;
}

/** Classes whose first request on a connection does not wait for the next read. */
const startsAtOnce = new Set<TrafficClass>(['completions', 'creates', 'health']);

/**
 * Whether a file is too large to be read before its sender is verified. The memory for bodies of
 * unverified senders is small, because anybody can send them.
 */
export const isUnverifiedFile = ({
  trafficClass,
  bodyLimitBytes,
  arrivedBytes,
  req,
}: RequestContext): boolean =>
  trafficClass === 'unverified' && bodyLimitBytes !== undefined && arrivedBytes === 0 && isLeftUnread(req);

/** Whether to read a body for the operation. */
export const hasBody = ({ req: { headers }, operation }: RequestContext): boolean =>
  operation?.takesBody === true &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/** Passes screened requests on to their queue, or rejects them. */
export function createIntake(settings: {
  bodyLimitBytes: number;
  rejections: Rejections;
  admission: Pick<Admission<RequestContext>, 'submit'>;
  failRequest: (request: RequestContext) => void;
}) {
  const { rejections, admission, failRequest } = settings;
  const { submitWithBody, release } = createBodyIntake(settings);

  function retake(request: RequestContext, screened: Screened): void {
    const { trafficClass, flow, rejection, hasBody } = screened;
    request.trafficClass = trafficClass;
    request.flow = flow;
    if (hasBody && isUnverifiedFile(request)) admission.submit(request);
    else if (hasBody) submitWithBody(request);
    else if (isLeftUnread(request.req)) skipBody(request, rejection);
    else submitOrReject(request, rejection);
  }

  function submitOrReject(request: RequestContext, rejection: Rejection | undefined): void {
    if (rejection) rejections.pace(request, rejection);
    else admission.submit(request);
  }

  /** Keeps the connection if the unwanted body has arrived together with the headers. */
  function skipBody(request: RequestContext, rejection: Rejection | undefined): void {
    setImmediate(submitUnread, request, rejection);
  }

  const submitUnread = contained((request: RequestContext, rejection: Rejection | undefined) => {
    if (request.isClosed) return;
    if (!request.req.complete) leaveBody(request);
    submitOrReject(request, rejection);
  }, failRequest);

  const takeIfPresent = contained((request: RequestContext, screened: Screened) => {
    request.connection.isReadAgain = true;
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
    take(request: RequestContext, screened: Screened) {
      const { req, connection } = request;
      // Pause the connection: Node resumes it if the end of the body has arrived together with the
      // headers.
      if (!screened.hasBody && isLeftUnread(req)) req.socket.pause();
      // A rejection costs less than the wait.
      if (screened.rejection || connection.isReadAgain || startsAtOnce.has(screened.trafficClass)) {
        retake(request, screened);
        return;
      }
      afterNextRead(() => {
        takeIfPresent(request, screened);
      });
    },
    /** Takes a request that was screened again. */
    retake,
    /** Returns the request's share of the body budget. */
    release,
  };
}
