import path from 'node:path';

import ts from 'typescript';

import type {
  SdkEntry,
  SdkFunction,
  SdkMember,
} from '../../src/features/documentation/sdk-reference/sdk-document';
import { commentOf } from './sdk-comments';
import { createParameterDescriptions, declarationsOf, type Operations, operationsOf } from './sdk-operations';

const folder = path.join(__dirname, '..', '..', 'packages', 'sdk');
const modules = {
  'contribution-service-sdk': path.join(folder, 'src', 'index.ts'),
  'contribution-service-sdk/node': path.join(folder, 'src', 'node', 'index.ts'),
};

type Declared = ts.FunctionLikeDeclarationBase | ts.MethodSignature | ts.FunctionTypeNode;

/** The text of a node on one line. */
const textOf = (node: ts.Node | undefined): string => (node?.getText() ?? '').replace(/\s+/g, ' ');

const withoutUndefined = (type: string): string =>
  type.replace(/ \| undefined$/, '').replace(/^\((.*=>.*)\)$/, '$1');

const isHidden = (member: ts.ClassElement | ts.TypeElement): boolean =>
  member.name === undefined ||
  !(ts.isIdentifier(member.name) || ts.isStringLiteral(member.name)) ||
  (ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;

/** Describes the exports of the SDK's modules from its sources. */
export function createSdkReference(operations: Operations): SdkEntry[] {
  const { config } = ts.readConfigFile(path.join(folder, 'tsconfig.json'), (name) =>
    ts.sys.readFile(name),
  ) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  // Only names are resolved, so the types of the language and of Node are not needed.
  const program = ts.createProgram(Object.values(modules), { ...options, noLib: true, types: [] });
  const checker = program.getTypeChecker();
  return Object.entries(modules).flatMap(([module, file]) => {
    const statements = program.getSourceFile(file)?.statements ?? [];
    return statements.flatMap((statement) => {
      if (!ts.isExportDeclaration(statement)) throw new Error(`${file} has another statement than exports`);
      const { exportClause } = statement;
      // The types of `export type *` are generated: the API reference describes them.
      if (!exportClause || !ts.isNamedExports(exportClause)) return [];
      return exportClause.elements.map((element) => {
        const isTypeOnly = statement.isTypeOnly || element.isTypeOnly;
        return describe(element, { module, isTypeOnly, checker, operations });
      });
    });
  });
}

interface Context {
  module: string;
  isTypeOnly: boolean;
  checker: ts.TypeChecker;
  operations: Operations;
}

function describe(element: ts.ExportSpecifier, context: Context): SdkEntry {
  const { checker, module, isTypeOnly } = context;
  const symbol = checker.getSymbolAtLocation(element.name);
  const [declaration] = (symbol && checker.getAliasedSymbol(symbol).declarations) ?? [];
  if (!declaration) throw new Error(`the declaration of ${element.name.text} is missing`);
  const comment = commentOf(declaration);
  const file = path.relative(path.join(folder, 'src'), declaration.getSourceFile().fileName);
  const about = {
    name: element.name.text,
    module,
    isTypeOnly,
    source: file.replaceAll('\\', '/'),
    ...comment,
  };
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    const [heritage] = declaration.heritageClauses?.map(textOf) ?? [];
    const isConstructed = comment.examples.some((example) => example.includes(`new ${about.name}(`));
    const constructor = declaration.members.find(ts.isConstructorDeclaration);
    return {
      ...about,
      ...(constructor && { throws: [...about.throws, ...commentOf(constructor).throws] }),
      ...(heritage !== undefined && { heritage }),
      ...(isConstructed &&
        constructor && { call: functionOf(`new ${about.name}`, constructor, [], context) }),
      members: membersOf(declaration, checker)
        .flatMap((member) => memberOf(member, context))
        .map((member) => inherited(member, declaration, context)),
    };
  }
  if (ts.isTypeAliasDeclaration(declaration))
    return { ...about, definition: declaration.getText().replace(/^export /, ''), members: [] };
  if (ts.isFunctionDeclaration(declaration))
    return { ...about, call: functionOf(about.name, declaration, [], context), members: [] };
  return { ...about, members: functionsOf(declaration, context) };
}

/** The members of a class or interface. The client has those of its base class too. */
function membersOf(
  declaration: ts.ClassDeclaration | ts.InterfaceDeclaration,
  checker: ts.TypeChecker,
): (ts.ClassElement | ts.TypeElement)[] {
  const types = declaration.heritageClauses?.flatMap((clause) => [...clause.types]) ?? [];
  const base = types.find(({ expression }) => textOf(expression) === 'ContributionCore');
  const inherits = base ? declarationsOf(base.expression, checker).filter(ts.isClassDeclaration) : [];
  return [...inherits, declaration].flatMap(({ members }): (ts.ClassElement | ts.TypeElement)[] => [
    ...members,
  ]);
}

/** The functions of a constant object. Each is declared in the same file. */
function functionsOf(declaration: ts.Declaration, context: Context): SdkMember[] {
  if (!ts.isVariableDeclaration(declaration)) throw new Error(`${textOf(declaration)} cannot be described`);
  const { initializer } = declaration;
  const object = initializer && ts.isCallExpression(initializer) ? initializer.arguments[0] : initializer;
  if (!object || !ts.isObjectLiteralExpression(object)) throw new Error('a constant is no object');
  const statements = declaration.getSourceFile().statements.filter(ts.isFunctionDeclaration);
  return object.properties.map((property) => {
    const name = textOf(property.name);
    const found = statements.find((statement) => statement.name?.text === name);
    if (!found) throw new Error(`the function ${name} is missing`);
    return methodOf(name, found, context);
  });
}

function methodOf(name: string, declared: Declared & ts.Node, context: Context): SdkMember {
  const operations = operationsOf(declared, context.checker);
  return {
    name,
    isOptional: false,
    type: textOf(declared.type),
    method: functionOf(name, declared, operations, context),
    operations,
    ...commentOf(declared),
  };
}

function memberOf(member: ts.ClassElement | ts.TypeElement, context: Context): SdkMember[] {
  if (isHidden(member) || !member.name) return [];
  const name = ts.isStringLiteral(member.name) ? member.name.text : textOf(member.name);
  if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) {
    // The methods of a promise need no description.
    return ['then', 'catch', 'finally'].includes(name) ? [] : [methodOf(name, member, context)];
  }
  if (!ts.isPropertyDeclaration(member) && !ts.isPropertySignature(member)) return [];
  // The name of an error class is its heading.
  if (ts.isPropertyDeclaration(member) && name === 'name') return [];
  const isOptional = member.questionToken !== undefined;
  const type = textOf(member.type);
  const own = commentOf(member);
  return [
    {
      name,
      isOptional,
      type: isOptional ? withoutUndefined(type) : type,
      operations: [],
      ...own,
      // A resource is described by its class.
      description: own.description || classDescription(member, context),
    },
  ];
}

/** A method without a comment has that of the interface that its class implements. */
function inherited(
  member: SdkMember,
  { heritageClauses = [] }: { heritageClauses?: readonly ts.HeritageClause[] },
  context: Context,
): SdkMember {
  if (member.description !== '') return member;
  for (const { expression } of heritageClauses.flatMap(({ types }) => [...types])) {
    const declaration = declarationsOf(expression, context.checker).find(ts.isInterfaceDeclaration);
    const found = declaration?.members
      .flatMap((each) => memberOf(each, context))
      .find(({ name }) => name === member.name);
    if (found) return { ...found, ...(member.method && { type: member.type }) };
  }
  return member;
}

function classDescription({ type }: { type?: ts.TypeNode | undefined }, { checker }: Context): string {
  if (!type || !ts.isTypeReferenceNode(type)) return '';
  const declaration = declarationsOf(type.typeName, checker).find(ts.isClassDeclaration);
  return declaration ? commentOf(declaration).description : '';
}

function functionOf(
  name: string,
  { parameters, type }: Declared,
  operationIds: readonly string[],
  { operations, checker }: Context,
): SdkFunction {
  const describeParameter = createParameterDescriptions(operationIds, operations, checker);
  const described = parameters.map((parameter) => {
    const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined;
    return {
      name: ts.isIdentifier(parameter.name) ? textOf(parameter.name) : 'message',
      // A default without a type is text.
      type: parameter.type ? textOf(parameter.type) : 'string',
      isOptional,
      description: describeParameter(parameter),
    };
  });
  const list = described.map(
    (parameter) => `${parameter.name}${parameter.isOptional ? '?' : ''}: ${parameter.type}`,
  );
  const end = type ? `: ${textOf(type)}` : '';
  const line = `${name}(${list.join(', ')})${end}`;
  const signature =
    line.length <= 70 ? line : `${name}(\n${list.map((each) => `  ${each},\n`).join('')})${end}`;
  return { signature, parameters: described };
}
