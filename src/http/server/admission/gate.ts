import type { IncomingMessage, RequestListener } from 'node:http';

import { contained, reportUncaught } from '../../../shared/contained';
import type { Rejection } from '../../../shared/errors';
import type { TrafficClass } from '../../../shared/traffic-classes';
import { contextOf } from '../../request/request-context';
import { createUnsentResponses } from '../unsent-responses';
import { createAdmission } from './admission';
import { createBodyIntake } from './body-intake';
import { type limitsOfClasses, mostHeaders, mostHeldPerConnection, readClasses } from './class-limits';
import { createHeldMemory } from './held-memory';
import { type HeldRequest, holdRequest } from './held-request';
import { createIntake, type Intake, isUnverifiedFile } from './intake';
import { closeAfter, createRejections, type RejectionSettings } from './rejections';
import { createEndWatch } from './request-end';
import type { Screen } from './screen';

export interface GateSettings extends RejectionSettings {
  screen: Screen;
  limits: ReturnType<typeof limitsOfClasses>;
  bodyLimitBytes: number;
  /**
   * Verifies the credentials of a request against the database, so that the next screening knows
   * its sender. Never rejects.
   */
  verify: (req: IncomingMessage) => Promise<void>;
  /** Processes a request. */
  start: RequestListener;
  /** Ends a request after an exception before or after its processing. */
  fail: RequestListener;
  observer: GateObserver;
}

/** Receives the events and the state of admission, for the metrics. */
export type GateObserver = RejectionSettings['observer'] & { watch: (state: AdmissionState) => void };

export interface AdmissionState {
  waiting: (trafficClass: TrafficClass) => number;
  inProgress: (trafficClass: TrafficClass) => number;
}

const tooManyHeaders: Rejection = {
  code: 'headers_too_large',
  detail: `The request has more than ${mostHeaders} headers.`,
};

/**
 * Stands between Node's HTTP server and Express. The gate screens each request by its headers,
 * reads its body, and queues it for a free slot.
 *
 * A request occupies its slot until its response is written, not until the response is sent.
 * Pipelined responses wait for each other, and clients may read slowly (see `unsent-responses.ts`).
 * The body is read before the request gets a slot, so a slow body does not occupy one.
 */
export function createGate(settings: GateSettings): RequestListener {
  const { screen, limits, bodyLimitBytes, verify, start, fail, observer } = settings;
  const failRequest = contained(({ req, res }: HeldRequest) => {
    fail(req, res);
  });
  const unsent = createUnsentResponses(observer);
  const rejections = createRejections({ ...settings, failRequest });
  const shed = contained(rejections.shed, failRequest);
  const admission = createAdmission<HeldRequest>({
    ...limits,
    start: startIfOpen,
    fail(request) {
      // It has a slot, which its end frees.
      if (request.state === 'waiting') request.state = 'started';
      failRequest(request);
    },
    shed,
    reclassify: reclassifying(screen, failRequest, (request, screened) => {
      intake.retake(request, screened);
    }),
  });
  const { submit } = admission;
  const bodies = createBodyIntake({ bodyLimitBytes, rejections, submit, failRequest });
  const intake = createIntake({ rejections, submitWithBody: bodies.submitWithBody, submit, failRequest });
  const memory = createHeldMemory();
  const watchEnd = createEndWatch({
    admission,
    unsent,
    release(request) {
      bodies.release(request);
      memory.remove(request);
    },
  });
  observer.watch(admission);

  function startIfOpen(request: HeldRequest): void {
    const isFlowFull = readClasses.has(request.trafficClass) && unsent.isFull(request.flow);
    if (request.isClosed || isFlowFull) {
      admission.finish(request);
      shed(request);
      return;
    }
    request.state = 'started';
    if (isUnverifiedFile(request)) startVerified(request);
    else startNow(request, start);
  }

  /** Verifies the sender of a file first. The file then counts against its environment's budget. */
  const startVerified = contained(async (request: HeldRequest) => {
    await verify(request.req);
    const screened = request.isClosed ? undefined : screen(request.req, request.res);
    if (screened?.trafficClass === 'unverified') {
      // The endpoint rejects this request, because it authenticates before it reads the file.
      closeAfter(request);
      startNow(request, start);
      return;
    }
    clearTimeout(request.finishTimer);
    request.state = screened ? 'waiting' : 'finished';
    admission.finish(request);
    if (screened) intake.retake(request, screened);
  }, failRequest);

  return (req, res: HeldRequest['res']) => {
    const request = holdRequest(req, res);
    memory.add(request);
    watchEnd(request);
    // Check the counts first: this is cheaper than screening, and a request that is rejected here
    // does not count against the rate limit.
    if (request.connection.held > mostHeldPerConnection) rejections.closeConnection(request);
    else if (req.rawHeaders.length > 2 * mostHeaders) rejections.rejectUnread(request, tooManyHeaders);
    else {
      const screened = screen(req, res);
      if (memory.isExceededBy(request, screened)) rejections.closeConnection(request);
      else intake.take(request, screened);
    }
  };
}

function startNow({ req, res }: HeldRequest, start: RequestListener): void {
  contextOf(res).isStarted = true;
  start(req, res);
}

/**
 * Screens an unverified request again, and passes it on if its sender has been verified meanwhile.
 *
 * @returns whether it did, or ended the request after an exception
 */
function reclassifying(
  screen: Screen,
  fail: (request: HeldRequest) => void,
  retake: Intake['retake'],
): (request: HeldRequest) => boolean {
  return (request) => {
    if (request.isClosed) return false;
    try {
      const screened = screen(request.req, request.res);
      if (screened.trafficClass === 'unverified') return false;
      retake(request, screened);
    } catch (error) {
      reportUncaught(error);
      fail(request);
    }
    return true;
  };
}
