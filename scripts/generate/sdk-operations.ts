import ts from 'typescript';

import { asSentence, commentOf, parameterComment } from './sdk-comments';

/** What the reference needs of an operation. */
export interface Operation {
  /** The method and the path, as guides write them: `GET /projects`. */
  request: string;
  /** The descriptions of the path's parameters. */
  ids: ReadonlyMap<string, string>;
}

export type Operations = ReadonlyMap<string, Operation>;

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
}

type Path = Record<string, { operationId: string; parameters?: Parameter[] }>;

/** The operations of the OpenAPI document, by id. */
export function listOperations(document: object): Operations {
  const { paths, components } = document as {
    paths: Record<string, Path>;
    components: { parameters?: Record<string, Parameter> };
  };
  const resolved = (parameter: Parameter): Parameter =>
    components.parameters?.[parameter.$ref?.replace(/^.*\//, '') ?? ''] ?? parameter;
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [] }]) => {
        const inPath = parameters.map(resolved).filter(({ in: place }) => place === 'path');
        return [
          operationId,
          {
            request: `${method.toUpperCase()} ${path.replace('/company/integration', '')}`,
            ids: new Map(inPath.map(({ name, description = '' }) => [name, description])),
          },
        ] as const;
      }),
    ),
  );
}

/** What a name refers to, in this file or in the one that it is imported from. */
export function declarationsOf(node: ts.Node, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const symbol = checker.getSymbolAtLocation(node);
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return target?.declarations ?? [];
}

const isGenerated = (declaration: ts.Declaration): boolean =>
  declaration.getSourceFile().fileName.endsWith('/generated/api.ts');

/** Whether a method delegates to this declaration. Others, such as retries, have no operation. */
const isFollowed = (declaration: ts.Declaration): boolean =>
  /\/src\/(resources\/[\w-]+|completions)\.ts$/.test(declaration.getSourceFile().fileName) &&
  (ts.isFunctionDeclaration(declaration) ||
    ts.isMethodDeclaration(declaration) ||
    ts.isClassDeclaration(declaration));

/** The ids of the operations that a method sends, itself or through the functions that it calls. */
export function operationsOf(method: ts.Node, checker: ts.TypeChecker): string[] {
  const found = new Set<string>();
  const seen = new Set<ts.Node>([method]);
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      for (const declaration of declarationsOf(node, checker)) {
        if (isGenerated(declaration) && ts.isVariableDeclaration(declaration))
          found.add(textOfName(declaration));
        if (!isFollowed(declaration) || seen.has(declaration)) continue;
        seen.add(declaration);
        ts.forEachChild(declaration, visit);
      }
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(method, visit);
  return [...found];
}

const textOfName = ({ name }: ts.VariableDeclaration): string => name.getText();

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Describes the parameters of a method that sends these operations. */
export function createParameterDescriptions(
  operationIds: readonly string[],
  operations: Operations,
  checker: ts.TypeChecker,
): (parameter: ts.ParameterDeclaration) => string {
  const operation = operations.get(operationIds[0] ?? '');
  const request = `\`${operation?.request ?? ''}\``;
  return (parameter) => {
    const id = operation?.ids.get(snakeCase(parameter.name.getText()));
    return (
      parameterComment(parameter) ||
      asSentence(id ?? '') ||
      descriptionOfType(parameter.type, request, checker)
    );
  };
}

/** What a type of the SDK says about itself, or the operation that describes a generated type. */
function descriptionOfType(type: ts.TypeNode | undefined, request: string, checker: ts.TypeChecker): string {
  if (!type || !ts.isTypeReferenceNode(type)) return '';
  const name = type.typeName.getText();
  const [declaration] = declarationsOf(type.typeName, checker);
  if (name === 'NoParams') return 'There are none. Pass `{}` if you pass `options`.';
  if (!declaration) return '';
  // The type has an entry of its own, so the first sentence is enough.
  if (!isGenerated(declaration)) return /^.*?\.(?= |$)/.exec(commentOf(declaration).description)?.[0] ?? '';
  return name.endsWith('Query') ? `The query of ${request}.` : `The body of ${request}.`;
}
