import { contained } from '../../../shared/contained';
import { collectBody } from '../../request/body-bytes';
import { createBodyBudget } from './body-budget';
import type { HeldRequest } from './held-request';
import { closeAfter, type Rejections } from './rejections';

/** Reads the bodies of requests before they wait for a slot. */
export interface BodyIntake {
  /** Submits a request as soon as its body has arrived, or sheds it when the budget is used up. */
  submitWithBody: (request: HeldRequest) => void;
  /** Returns a request's share of the budget. */
  release: (request: HeldRequest) => void;
}

export function createBodyIntake(settings: {
  bodyLimitBytes: number;
  rejections: Rejections;
  submit: (request: HeldRequest) => void;
  failRequest: (request: HeldRequest) => void;
}): BodyIntake {
  const { bodyLimitBytes, rejections, submit, failRequest } = settings;
  const budget = createBodyBudget(bodyLimitBytes);

  /** @returns whether to read the rest of the body */
  function admit(request: HeldRequest, bytes: number): boolean {
    if (request.isClosed) return false;
    request.bodyBytes = bytes;
    if (budget.count(request, bytes)) return true;
    rejections.shedUnread(request);
    return false;
  }

  const submitIfOpen = contained((request: HeldRequest) => {
    if (!request.isClosed) submit(request);
  }, failRequest);

  return {
    submitWithBody(request) {
      // The class and the flow of the request may have changed since its body was counted.
      if (request.bodyBytes > 0 && !admit(request, request.bodyBytes)) return;
      const submitArrived = (): void => {
        submitIfOpen(request);
      };
      // The endpoint reads the collected body and reports its errors.
      collectBody(request.req, request.bodyLimitBytes ?? bodyLimitBytes, {
        admit: (bytes) => admit(request, bytes),
        onUnread() {
          closeAfter(request);
        },
      }).then(submitArrived, submitArrived);
    },
    release: budget.release,
  };
}
