import type { EndpointContract } from '../../http/contract';
import type { ErrorCatalog } from '../../http/errors/error-catalog';
import type { ErrorCode } from '../../shared/errors';
import type { Links } from './links';
import type { Resolve, Schema } from './openapi-schema';
import type { SdkNames } from './sdk-reference/sdk-names';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

/** The parts of an OpenAPI operation that the reference shows. */
export interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, { description?: string; schema?: Schema; example?: unknown }>;
      content?: Record<string, Media>;
    }
  >;
}

/** The inputs for every operation in the reference. */
export interface ReferenceContext {
  resolve: Resolve;
  links: Links;
  /** Error codes that every operation has. */
  commonErrors: readonly ErrorCode[];
  /** Headers of every response. */
  commonHeaders: readonly string[];
  errors: ErrorCatalog;
  errorsOf: (contract: EndpointContract) => readonly ErrorCode[];
  /** The methods of the SDK that send an operation. */
  sdkMethodsOf: SdkNames['methodsOf'];
  publicBaseUrl: string;
}
