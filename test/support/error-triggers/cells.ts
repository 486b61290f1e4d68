import type { ErrorCode } from '../../../src/shared/errors';
import { isJsonObject } from '../../../src/http/openapi/json';
import type { DescribedResponse } from '../openapi/document';
import { documentedOperations, type DocumentedOperation } from '../openapi/operations';

/** One documented error code of one operation. */
export interface Cell {
  operation: DocumentedOperation;
  operationId: string;
  status: number;
  code: ErrorCode;
}

/** The codes that a response documents. */
function codesOf(response: DescribedResponse): ErrorCode[] {
  const parts = response.content?.['application/problem+json']?.schema['allOf'];
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => {
    const properties = isJsonObject(part) ? part['properties'] : undefined;
    const code = isJsonObject(properties) ? properties['code'] : undefined;
    return isJsonObject(code) && Array.isArray(code['enum']) ? (code['enum'] as ErrorCode[]) : [];
  });
}

/** Every documented error code of every operation. */
export const cells: readonly Cell[] = documentedOperations.flatMap((operation) =>
  Object.entries(operation.responses).flatMap(([status, response]) =>
    codesOf(response).map((code) => ({
      operation,
      operationId: operation.operationId,
      status: Number(status),
      code,
    })),
  ),
);
