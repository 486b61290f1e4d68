import type { ErrorCode } from '../../../../src/shared/errors';
import type { DocumentedOperation } from '../../openapi/operations';
import type { ResponseSummary } from '../send';
import type { World } from '../world';

/** Brings one error about on an operation, really. It leaves the world as it was. */
export type ErrorTrigger = (world: World, operation: DocumentedOperation) => Promise<ResponseSummary>;

export type ErrorTriggers = Partial<Record<ErrorCode, ErrorTrigger>>;
