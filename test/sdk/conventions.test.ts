import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import { root } from '../support/program';

/** The rule of packages/sdk/README.md: ids, then params, then options. */
const folder = path.join(root, 'packages', 'sdk', 'src', 'resources');
const isId = (name: string): boolean =>
  name.endsWith('Id') || ['idempotencyKey', 'day', 'month'].includes(name);

/** The public methods of the classes in a file, with the names of their parameters. */
function methodsOf(file: string): [method: string, parameters: string[]][] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(folder, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return source.statements.filter(ts.isClassDeclaration).flatMap((each) =>
    each.members
      .filter(ts.isMethodDeclaration)
      .filter(({ name }) => !ts.isPrivateIdentifier(name))
      .map((method): [string, string[]] => [
        `${each.name?.text}.${method.name.getText(source)}`,
        method.parameters.map(({ name }) => name.getText(source)),
      ]),
  );
}

const methods = readdirSync(folder).flatMap(methodsOf);

test('the methods of the resources are found', () => {
  expect(methods.length).toBeGreaterThan(50);
});

test.each(methods)('%s takes ids, then params, then options', (_name, parameters) => {
  expect(parameters.filter((name) => !isId(name))).toEqual(['params', 'options']);
  expect(parameters.slice(-2)).toEqual(['params', 'options']);
});
