import { openApiDocument } from '../../support/openapi/document';

/** The parts of a JSON Schema that are needed to generate valid values. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: ValueSchema;
  readonly example?: unknown;
}

/** One operation of the published document. */
export interface Operation {
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** As in OpenAPI. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: ValueSchema | undefined;
  readonly mediaTypes: readonly string[];
  /** The documented response of each status. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface ResponseObject {
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly required?: boolean; readonly schema?: object }>
  >;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Reference {
  readonly $ref?: string;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter & Reference)[];
  readonly requestBody?: Reference & {
    readonly content: Readonly<Record<string, { readonly schema: ValueSchema & Reference }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject & Reference>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** The published document. It is generated from the contracts, and CI fails when the two differ. */
export function readOpenApiDocument(): OpenApiDocument {
  return openApiDocument;
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Resolves a reference of the document, or returns the object itself. */
export function resolve<T extends Reference>(document: OpenApiDocument, object: T): T {
  if (object.$ref === undefined) return object;
  const steps = object.$ref.replace(/^#\//, '').split('/');
  const found = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown>)[step.replace(/~1/g, '/').replace(/~0/g, '~')],
    document,
  );
  return resolve(document, found as T);
}

/** Every operation that requires credentials. */
export function listOperations(document: OpenApiDocument): Operation[] {
  const operation = (method: string, template: string, object: OperationObject): Operation => {
    const content = object.requestBody ? resolve(document, object.requestBody).content : {};
    const body = Object.values(content)[0]?.schema;
    return {
      operationId: object.operationId,
      method: method.toUpperCase(),
      path: template,
      parameters: (object.parameters ?? []).map((parameter) => resolve(document, parameter)),
      body: body && resolve(document, body),
      mediaTypes: Object.keys(content),
      responses: Object.fromEntries(
        Object.entries(object.responses).map(([status, response]) => [status, resolve(document, response)]),
      ),
    };
  };
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, object]) => operation(method, template, object)),
  );
}

/** A path template as a regular expression for the path of a target. */
function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}

/** Finds the operations of a path, by method. */
export function createRoutes(operations: readonly Operation[]) {
  const templates = [...new Set(operations.map((operation) => operation.path))]
    // As in the service, a path without parameters goes before one with.
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((template) => ({
      pattern: patternOf(template),
      byMethod: new Map(
        operations
          .filter((operation) => operation.path === template)
          .map((operation) => [operation.method, operation]),
      ),
    }));
  return (target: string): ReadonlyMap<string, Operation> | undefined => {
    const pathname = pathOf(target);
    return templates.find(({ pattern }) => pattern.test(pathname))?.byMethod;
  };
}

/** The path of a target in origin form or absolute form (RFC 9112 3.2). */
export function pathOf(target: string): string {
  const relative = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return relative.replace(/[?#].*$/s, '');
}
