import { readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

/** The guides with examples in TypeScript. Each uses the client from `start`. */
const guides = ['start', 'sdk', 'bank', 'credentials', 'errors', 'conformance', 'webhooks'] as const;

function examplesOf(folder: string, guide: string): string {
  const text = readFileSync(path.join(folder, `${guide}.md`), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, example = '']) => example).join('\n');
}

/** Converts the examples of each guide to one JavaScript program for Node.js 20. */
export function createGuidePrograms(root: string): Map<string, string> {
  const folder = path.join(root, 'docs', 'guides');
  return new Map(
    guides.map((guide) => {
      const parts = guide === 'start' ? [guide] : ['start', guide];
      const source = parts.map((part) => examplesOf(folder, part)).join('\n');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      });
      return [
        `docs/guides/examples/${guide}.mjs`,
        `// Generated from the TypeScript examples of the guide.\n\n${outputText.replace(/^'use strict';\n|^"use strict";\n/, '')}`,
      ];
    }),
  );
}
