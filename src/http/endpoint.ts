import type { z } from 'zod';

import type { LimitWork } from '../shared/limit-work';
import type { Principal } from '../shared/scopes';
import type { EndpointContract } from './contract';
import type { LogFields } from './request/log-line';
import type { Upload, UploadContract } from './request/upload';

/** Parts of a response, each one or more lines. */
export type Lines = AsyncGenerator<string, void>;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The parsed input of a handler, without Express's request and response. */
export interface Input<C extends EndpointContract> {
  principal: Principal;
  params: Parsed<C['params']>;
  query: Parsed<C['query']>;
  headers: Parsed<C['headers']>;
  body: C['body'] extends { schema: infer S } ? Parsed<S> : undefined;
  upload: C['upload'] extends UploadContract ? Upload : undefined;
  /** The id in the response and the log. */
  requestId: string;
  /** When the handler was first called, on the clock of `performance.now()`. */
  startedAtMs: number;
  /** Adds fields, such as ids, to the request's log line. */
  addToLog: (fields: LogFields) => void;
  /**
   * Stops a read whose client has left. Does nothing in a write. Call it between SQL statements,
   * but not in a cacheable operation, because several clients wait for its result.
   *
   * @throws ClientLeft
   */
  stopIfLeft: () => void;
  /** Whether the client has left. */
  hasLeft: () => boolean;
  /** Waits without holding a slot, then authenticates again. */
  outside: (wait: () => Promise<void>) => Promise<void>;
}

/** The result of a handler: one of the contract's responses. */
export type EndpointResponse<C extends EndpointContract> = {
  [Status in keyof C['responses'] & number]: {
    status: Status;
    headers?: Record<string, string>;
  } & (C['responses'][Status] extends { body: infer S extends z.ZodType }
    ? { body: z.output<S> }
    : C['responses'][Status] extends { line: z.ZodType }
      ? { lines: Lines }
      : object);
}[keyof C['responses'] & number];

export type Handler<C extends EndpointContract> = (input: Input<C>) => Promise<EndpointResponse<C>>;

/** The input of any handler. */
export type AnyInput = Omit<Input<EndpointContract>, 'params' | 'query' | 'headers' | 'body' | 'upload'> & {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  upload: Upload | undefined;
};

/** The response of any handler. */
export interface AnyResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  lines?: Lines;
}

export type AnyHandler = (input: AnyInput) => Promise<AnyResponse>;

/** Lets an operation wait for a hanging server, without using up what others need. */
export function limited(limitWork: LimitWork, isRead: boolean, handler: AnyHandler): AnyHandler {
  // A read may need no other server, and the lines of a response are written later.
  const proves = (response: AnyResponse): boolean => !isRead && response.lines === undefined;
  return (input) =>
    limitWork(input.principal.environmentId, proves, (pause) => {
      if (pause === undefined) return handler(input);
      return handler({ ...input, outside: (wait) => pause(() => input.outside(wait)) });
    });
}
