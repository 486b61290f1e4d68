import type { ErrorCode } from '../../../../src/shared/errors';
import type { DocumentedOperation } from '../../openapi/operations';
import type { ResponseSummary } from '../send';
import type { World } from '../world';

/** Makes an operation respond with one error to a real request. Leaves the world unchanged. */
export type ErrorTrigger = (world: World, operation: DocumentedOperation) => Promise<ResponseSummary>;

export type ErrorTriggers = Partial<Record<ErrorCode, ErrorTrigger>>;
