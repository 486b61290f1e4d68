import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { root, runProcess } from '../../support/program';

/** Tools from the npm registry. Only this suite needs them, so they are not installed. */
export const tools = {
  publint: 'publint@0.3.21',
  types: '@arethetypeswrong/cli@0.18.5',
  esbuild: 'esbuild@0.28.2',
  newman: 'newman@6.2.2',
  vitest: 'vitest@4.1.12',
} as const;

/** Libraries that partners commonly use for retries. The conformance kit judges them. */
export const libraries = ['undici@7.30.2', 'axios@1.21.1', 'axios-retry@4.5.0'] as const;

export const sdkFolder = path.join(root, 'packages', 'sdk');

/**
 * Runs a program and returns its output.
 *
 * @throws Error with the output if the program fails
 */
export async function succeed(
  program: string,
  programArguments: string[],
  cwd: string,
  settings: Record<string, string> = {},
): Promise<string> {
  const { exitCode, output } = await runProcess(program, programArguments, settings, cwd);
  if (exitCode !== 0) throw new Error(`${program} ${programArguments.join(' ')} failed:\n${output}`);
  return output;
}

/** The line that matches. npm may print warnings around it. */
function lineOf(output: string, pattern: RegExp): string {
  const line = output.split('\n').find((each) => pattern.test(each));
  if (line === undefined) throw new Error(`no line matches ${pattern.source}:\n${output}`);
  return line;
}

/** Builds and packs the SDK. Returns the path of the file that the service serves. */
export async function packSdk(): Promise<string> {
  await succeed(process.execPath, ['scripts/build.mjs', 'sdk'], root);
  const folder = path.join(sdkFolder, 'packed');
  return path.join(folder, readdirSync(folder)[0]!);
}

/** An empty project with the packed SDK installed, and these files. */
export async function createProject(
  folder: string,
  packed: string,
  manifest: object,
  files: Record<string, string>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  await succeed('npm', ['install', '--no-audit', '--no-fund', packed], folder);
}

/** The path of a Node of this major version, from the npm registry if it is not the current one. */
export async function nodeOf(version: number, folder: string): Promise<string> {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const output = await succeed('npx', ['--yes', `node@${version}`, '-p', 'process.execPath'], folder);
  return lineOf(output, /^\S*node(\.exe)?$/);
}
