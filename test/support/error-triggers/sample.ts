import type { DescribedParameter } from '../openapi/document';
import { resolved } from '../openapi/document';
import type { DocumentedOperation } from '../openapi/operations';

/** A request to send. */
export interface Sample {
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Path parameters of existing resources. */
export type PathValues = Readonly<Record<string, string>>;

function parametersOf(operation: DocumentedOperation): DescribedParameter[] {
  return operation.parameters.map(
    (parameter) => resolved(parameter as unknown as Record<string, unknown>) as unknown as DescribedParameter,
  );
}

/** The example body of the document; undefined for an operation without a body. */
function exampleBody(operation: DocumentedOperation): Record<string, unknown> | string | undefined {
  const type = bodyType(operation);
  return operation.requestBody?.content[type]?.example as Record<string, unknown> | string | undefined;
}

const linesType = 'application/x-ndjson';

const statementType = 'application/xml';

/** The media type of the example request. For an upload of lines, the example is one line. */
const bodyType = (operation: DocumentedOperation): string =>
  [linesType, statementType].find((type) => operation.requestBody?.content[type]) ?? 'application/json';

export const takesFile = ({ requestBody }: DocumentedOperation): boolean =>
  requestBody?.content[linesType] !== undefined;

export const takesStatement = ({ requestBody }: DocumentedOperation): boolean =>
  requestBody?.content[statementType] !== undefined;

/**
 * The document's example request, for existing resources.
 *
 * @param body members that replace those of the example body
 */
export function sampleOf(operation: DocumentedOperation, values: PathValues, body: object = {}): Sample {
  const target = operation.path.replace(/\{(\w+)\}/g, (_braces, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value is known for the path parameter ${name}`);
    return value;
  });
  const query = new URLSearchParams(requiredQuery(operation)).toString();
  const example = exampleBody(operation);
  const { transaction_id: id } = values;
  const idInFile = takesFile(operation) && id !== undefined ? { transaction_id: id } : {};
  const allocations = typeof example === 'object' ? example['allocations'] : undefined;
  const idInAllocations =
    Array.isArray(allocations) && id !== undefined
      ? { allocations: allocations.map((each: object) => ({ ...each, transaction_id: id })) }
      : {};
  return {
    method: operation.method.toUpperCase(),
    target: query === '' ? target : `${target}?${query}`,
    headers: example ? { 'Content-Type': bodyType(operation) } : {},
    body:
      typeof example === 'object'
        ? JSON.stringify({ ...example, ...idInFile, ...idInAllocations, ...body })
        : example,
  };
}

/** The required query parameters with the document's examples. */
const requiredQuery = (operation: DocumentedOperation): Record<string, string> =>
  Object.fromEntries(
    parametersOf(operation)
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name, example, schema }) => [name, String(example ?? schema.enum?.[0])]),
  );

/** The same request with one invalid part. */
export function invalidSampleOf(operation: DocumentedOperation, values: PathValues): Sample {
  const sample = sampleOf(operation, values);
  if (Object.keys(requiredQuery(operation)).length > 0) {
    return { ...sample, target: sample.target.replace(/\?.*/, '') };
  }
  // No member may be an object.
  const example = exampleBody(operation);
  const members = Object.keys(typeof example === 'object' ? example : {}).map((name) => [name, {}]);
  if (parametersOf(operation).some(({ name }) => name === 'dry_run')) {
    return { ...sample, target: `${sample.target}?dry_run=2` };
  }
  if (sample.body !== undefined) return { ...sample, body: JSON.stringify(Object.fromEntries(members)) };
  if (parametersOf(operation).some(({ name }) => name === 'user_hash')) {
    return { ...sample, target: `${sample.target}?user_hash=a%20b` };
  }
  if (parametersOf(operation).some(({ name }) => name === 'Sandbox-Fault')) {
    return { ...sample, headers: { ...sample.headers, 'Sandbox-Fault': 'nothing' } };
  }
  if (parametersOf(operation).some(({ name }) => name === 'limit')) {
    return { ...sample, target: `${sample.target}?limit=0` };
  }
  throw new Error(`no invalid input is known for ${operation.operationId}`);
}
