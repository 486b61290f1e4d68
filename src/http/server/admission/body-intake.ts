import { contained } from '../../../shared/contained';
import { collectBody } from '../../request/body-bytes';
import type { RequestContext } from '../../request/request-context';
import type { Admission } from './admission';
import { createBodyBudget } from './body-budget';
import { closeAfter, type Rejections } from './rejections';

/** Reads the bodies of requests before they wait for a slot. */
export interface BodyIntake {
  /** Submits a request as soon as its body has arrived, or sheds it when the budget is used up. */
  submitWithBody: (request: RequestContext) => void;
  /** Returns a request's share of the budget. */
  release: (request: RequestContext) => void;
}

export function createBodyIntake(settings: {
  bodyLimitBytes: number;
  rejections: Rejections;
  admission: Pick<Admission<RequestContext>, 'submit'>;
  failRequest: (request: RequestContext) => void;
}): BodyIntake {
  const { bodyLimitBytes, rejections, admission, failRequest } = settings;
  const budget = createBodyBudget(bodyLimitBytes);

  /** @returns whether to read the rest of the body */
  function admit(request: RequestContext, bytes: number): boolean {
    if (request.isClosed) return false;
    request.arrivedBytes = bytes;
    if (budget.count(request, bytes)) return true;
    rejections.shedUnread(request);
    return false;
  }

  return {
    submitWithBody: contained(async (request: RequestContext) => {
      // The class and the flow of the request may have changed since its body was counted.
      if (request.arrivedBytes > 0 && !admit(request, request.arrivedBytes)) return;
      try {
        await collectBody(request, request.bodyLimitBytes ?? bodyLimitBytes, {
          admit: (bytes) => admit(request, bytes),
          onUnread() {
            closeAfter(request);
          },
        });
      } catch {
        // The endpoint reads the collected body again and reports its error.
      }
      request.hasArrived = true;
      if (!request.isClosed) admission.submit(request);
    }, failRequest),
    release: budget.release,
  };
}
