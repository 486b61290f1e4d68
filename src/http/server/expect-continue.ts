import type { ServerResponse } from 'node:http';

import type { ClientConnection } from './connection';

/**
 * Sends "100 Continue" when the response is next on its connection. Behind earlier responses,
 * Node would put it between the headers and the body of the final response, so the client would
 * misread both.
 *
 * Such a response closes the connection. If it is complete before that, the service cannot know
 * whether the client sends the body (RFC 9110, 10.1.1).
 */
export function continueInOrder(res: ServerResponse, connection: ClientConnection): void {
  if (res.socket) {
    res.writeContinue();
    return;
  }
  res.shouldKeepAlive = false;
  connection.endWith(res);
  // Node emits this when the earlier responses are sent.
  res.once('socket', () => {
    if (!res.headersSent) res.writeContinue();
  });
}
