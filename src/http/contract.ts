import type { z } from 'zod';

import type { ErrorCode } from '../shared/errors';
import type { EnvironmentKind, Scope } from '../shared/scopes';
import type { TrafficClass } from '../shared/traffic-classes';
import type { BodyMedia } from './request/body';
import type { UploadContract } from './request/upload';
import type { CsvForm } from './response/csv';

/** A success response of an operation. */
export interface ResponseContract {
  readonly description: string;
  /** Absent if the response has no body. */
  readonly body?: z.ZodType;
  /** One line of a response that is streamed as NDJSON, instead of `body`. */
  readonly line?: z.ZodType;
  /** How it is shown as CSV. By default, only lists are: each member of an item is a column. */
  readonly csv?: CsvForm;
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/**
 * The contract of one operation. Validation, handler types, OpenAPI, documentation and tests are
 * derived from it.
 */
export interface EndpointContract {
  readonly operationId: string;
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  /** The path in OpenAPI notation: /pets/{pet_id} */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The section of the interface specification that defines it, or `addition`. */
  readonly origin: `specification ${string}` | 'addition';
  /** The scope that a pair needs; null if every valid pair may use the operation. */
  readonly scope: Scope | null;
  /** If present, key pairs of the other kind get `sandbox_only`, regardless of their scopes. */
  readonly onlyIn?: EnvironmentKind;
  /** Overrides the traffic class that follows from the scope. */
  readonly trafficClass?: TrafficClass;
  /**
   * Makes the operation cacheable, with conditional requests: without this query parameter, the
   * response is the same for all clients of an environment. The client may cache it, and so does
   * this process for a short time.
   */
  readonly cachedWithout?: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** The headers, with names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly accepts: readonly BodyMedia[];
    readonly example?: unknown;
  };
  /** The file that the operation takes, instead of `body`. */
  readonly upload?: UploadContract;
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /** Its own error codes. `openapi/error-codes.ts` adds those that follow from the contract. */
  readonly errors?: readonly ErrorCode[];
}

/** Declares a contract with its exact type. */
export function endpoint<const C extends EndpointContract>(contract: C): C {
  return contract;
}
