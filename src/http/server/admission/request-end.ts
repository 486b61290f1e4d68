import type { ServerResponse } from 'node:http';

import { contained } from '../../../shared/contained';
import { whenWritten } from '../../../internals/express-messages';
import { forgetBody } from '../../request/body-bytes';
import { contextOf } from '../../request/request-context';
import type { UnsentResponses } from '../unsent-responses';
import type { Admission } from './admission';
import { type HeldRequest, heldRequestOf } from './held-request';

/** A started request whose client has left is finished after this time at the latest. */
const longestAfterCloseMs = 60_000;

type WatchedResponse = ServerResponse & { [whenWritten]?: () => void };

/**
 * Releases what a request holds when its response is written or its client leaves.
 *
 * A client that leaves does not cancel its SQL statement. The request therefore keeps its slot
 * until the endpoint has written a response, even if the client no longer reads it.
 *
 * @returns a function that watches one request; the listeners are shared by all requests
 */
export function createEndWatch(settings: {
  admission: Admission<HeldRequest>;
  unsent: UnsentResponses;
  /** Called once when the response is written or the client has left. */
  release: (request: HeldRequest) => void;
}): (request: HeldRequest) => void {
  const { admission, unsent, release } = settings;

  function close(request: HeldRequest): void {
    if (request.isClosed) return;
    request.isClosed = true;
    request.connection.held -= 1;
    release(request);
  }

  const finish = contained((request: HeldRequest) => {
    if (request.state !== 'started') return;
    request.state = 'finished';
    clearTimeout(request.finishTimer);
    admission.finish(request);
  });

  const onWritten = contained(function (this: ServerResponse) {
    const request = heldRequestOf(this);
    if (!request) return;
    forgetBody(request.req);
    close(request);
    finish(request);
    unsent.add(this, request.flow);
  });

  const onClose = contained(function (this: ServerResponse) {
    const request = heldRequestOf(this);
    if (!request) return;
    unsent.remove(this);
    const leftWhileWaiting = !request.isClosed && request.state === 'waiting';
    if (leftWhileWaiting) contextOf(this).rate?.putBack();
    close(request);
    admission.resume(request.connection);
    if (request.state === 'started') {
      request.finishTimer = setTimeout(finish, longestAfterCloseMs, request).unref();
    }
  });

  return ({ res }) => {
    (res as WatchedResponse)[whenWritten] = onWritten;
    res.once('close', onClose);
  };
}
