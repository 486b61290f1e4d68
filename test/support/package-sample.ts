import { format } from 'node:util';

import ts from 'typescript';

type Run = (
  require: (name: string) => unknown,
  exports: object,
  console: { log: (...what: unknown[]) => void },
) => Promise<void>;

/**
 * Runs the program of a document, an ES module.
 *
 * @param modules what it imports, by name
 * @returns what it prints
 */
export async function runSample(program: string, modules: Readonly<Record<string, object>>): Promise<string> {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2023,
      esModuleInterop: true,
    },
  });
  const AsyncFunction = async function () {}.constructor as new (...text: string[]) => Run;
  let output = '';
  await new AsyncFunction('require', 'exports', 'console', outputText)(
    (name) => {
      if (!Object.hasOwn(modules, name)) throw new Error(`the sample imports ${name}`);
      return modules[name];
    },
    {},
    { log: (...what) => (output += `${format(...what)}\n`) },
  );
  return output;
}
