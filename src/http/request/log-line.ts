import type { IncomingMessage } from 'node:http';

import { apiKeyPattern } from '../../shared/api-key';
import type { Logger } from '../../shared/logger';
import type { Principal } from '../../shared/scopes';
import { addressOfPeer } from './client-address';
import type { LogSampling } from './log-sampling';

/** Fields of a log line: ids, never personal data or secrets. */
export type LogFields = Readonly<Record<string, string>>;

/** A request that has ended, for the log and the metrics. */
export interface EndedRequest {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly method: string;
  /** The pattern of the path, never the path itself; undefined for an unknown path. */
  readonly route: string | undefined;
  /** Whether the route is an operation of the API. */
  readonly isOperation: boolean;
  /** Undefined if the client left before a response was written. */
  readonly status: number | undefined;
  readonly errorCode: string | undefined;
  /** Whether the whole response was sent before the connection closed. */
  readonly answered: boolean;
  readonly principal: Principal | undefined;
  /** The well-formed API-Key of a request that got 401, 403 or 429 without a verified key pair. */
  readonly attemptedApiKey: string | undefined;
  readonly logFields: LogFields | undefined;
  /** The kind of fault that the client asked for. The response then does not indicate a problem. */
  readonly fault: string | undefined;
  readonly milliseconds: number;
}

/** Returns only an exact key: a longer text could contain part of a secret. */
export function attemptedApiKeyOf({ headers }: IncomingMessage): string | undefined {
  const apiKey = headers['api-key'];
  return typeof apiKey === 'string' && apiKeyPattern.test(apiKey) ? apiKey : undefined;
}

/** Writes the log lines of requests. */
export const logRequests = (logger: Logger) => (request: EndedRequest) => {
  logger.info(
    {
      request_id: request.requestId,
      client_address: request.clientAddress,
      method: request.method,
      route: request.isOperation ? request.route : undefined,
      status: request.status,
      error_code: request.errorCode,
      answered: request.answered,
      environment_id: request.principal?.environmentId,
      api_key: request.principal?.apiKey,
      attempted_api_key: request.attemptedApiKey,
      ...request.logFields,
      sandbox_fault: request.fault,
      duration_ms: Math.round(request.milliseconds * 1_000) / 1_000,
    },
    'request',
  );
};

/**
 * A request that Node's parser rejected. Its headers are unknown, so the address is the
 * connection's.
 */
export interface ParserRejection {
  requestId: string;
  remoteAddress: string | undefined;
  status: number;
  code: string;
}

/** Logs the rejections of Node's parser that the sampling admits. */
export function logParserRejection(
  logger: Logger,
  sampling: Pick<LogSampling, 'admits'>,
): (rejection: ParserRejection) => void {
  return ({ requestId, remoteAddress, status, code }) => {
    const clientAddress = addressOfPeer(remoteAddress);
    if (!sampling.admits({ clientAddress, status, errorCode: code, attemptedApiKey: undefined })) return;
    logger.info(
      { request_id: requestId, client_address: clientAddress, status, error_code: code },
      'request',
    );
  };
}
