import { readFileSync } from 'node:fs';
import path from 'node:path';

import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';

import { root } from '../../support/program';

/** One line of the Dockerfile. */
export interface Step {
  keyword: string;
  /** Without flags. */
  words: string[];
  /** For example { from: 'build' }. */
  flags: Record<string, string>;
  /** As written, with continued lines joined. */
  text: string;
}

/** The lines from one FROM to the next. */
export interface Stage {
  /** 0, 1, … if it has no name. */
  name: string;
  image: string;
  steps: Step[];
}

export const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');

const toStep = (instruction: Instruction): Step => ({
  keyword: instruction.getKeyword(),
  words: instruction.getArguments().map((word) => word.getValue()),
  flags: Object.fromEntries(
    'getFlags' in instruction
      ? (instruction as JSONInstruction).getFlags().map((flag) => [flag.getName(), flag.getValue() ?? ''])
      : [],
  ),
  text: instruction.getArgumentsContent() ?? '',
});

/** The stages of the Dockerfile; the last one is the image. */
export function readStages(): Stage[] {
  const stages: Stage[] = [];
  for (const step of DockerfileParser.parse(dockerfile).getInstructions().map(toStep)) {
    if (step.keyword === 'FROM') {
      const [image = '', , name = String(stages.length)] = step.words;
      stages.push({ name, image, steps: [] });
    } else {
      stages.at(-1)?.steps.push(step);
    }
  }
  return stages;
}

/**
 * The only step of a stage with this keyword.
 *
 * @throws Error when there is none or more than one
 */
export function stepOf(stage: Stage, keyword: string): Step {
  const [step, ...more] = stage.steps.filter((each) => each.keyword === keyword);
  if (step === undefined || more.length > 0) throw new Error(`there is not one ${keyword} in ${stage.name}`);
  return step;
}

/**
 * A command in exec form, as of CMD and HEALTHCHECK.
 *
 * @throws Error when it has another form
 */
export function commandOf({ text }: Step): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

/** The environment variables that a stage sets. */
export function environmentOf(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    stage.steps
      .filter(({ keyword }) => keyword === 'ENV')
      .flatMap(({ words }) => words.map((word) => word.split(/=(.*)/s).slice(0, 2) as [string, string])),
  );
}

/** The files that .dockerignore includes: it excludes everything, then lists exceptions. */
export function letThrough(): string[] {
  const [first, ...others] = readFileSync(path.join(root, '.dockerignore'), 'utf8').trim().split('\n');
  if (first !== '*' || others.some((line) => !/^![\w./-]+$/.test(line))) {
    throw new Error('.dockerignore is not a * and then names with an exclamation mark');
  }
  return others.map((line) => line.slice(1));
}
