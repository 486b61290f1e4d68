import type { ErrorCode } from '../../../src/shared/errors';
import type { DocumentedOperation } from '../../support/openapi/operations';
import type { Answered } from '../send';
import type { World } from '../world';

/** Brings one error about on an operation, really. It leaves the world as it was. */
export type Way = (world: World, operation: DocumentedOperation) => Promise<Answered>;

export type Ways = Partial<Record<ErrorCode, Way>>;
