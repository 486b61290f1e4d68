import { cpSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { root, runProcess } from '../../support/program';
import { letThrough, readStages, type Stage, type Step } from './dockerfile';

/**
 * The Dockerfile's working directory. A stage's files below it are in a folder named after the
 * stage.
 */
const workingDirectory = '/app';

/** Only these commands may run on the machine that tests the image. */
const allowedCommand = /^npm (ci|run build)( --[a-z-]+(=[a-z]+)?)*$/;

/**
 * Runs the steps of the Dockerfile without a container engine, each stage in a separate folder.
 * COPY and .dockerignore select the files, and commands run without variables that configure the
 * service. This does not test the base image and the engine.
 *
 * @returns the folder that the image would contain as /app
 * @throws Error on an unknown step, and when a command fails
 */
export async function replay(folder: string): Promise<string> {
  const stages = readStages();
  for (const stage of stages) {
    mkdirSync(path.join(folder, stage.name), { recursive: true });
    for (const step of stage.steps) await perform(step, stage, folder);
  }
  return path.join(folder, stages.at(-1)?.name ?? '');
}

async function perform(step: Step, stage: Stage, folder: string): Promise<void> {
  const here = path.join(folder, stage.name);
  switch (step.keyword) {
    case 'WORKDIR':
      if (step.text !== workingDirectory) throw new Error(`WORKDIR ${step.text} cannot be replayed`);
      return;
    case 'COPY':
      copy(step, here, folder);
      return;
    case 'RUN': {
      if (!allowedCommand.test(step.text)) throw new Error(`RUN ${step.text} cannot be replayed`);
      const { exitCode, output } = await runProcess('/bin/sh', ['-c', step.text], {}, here);
      if (exitCode !== 0) throw new Error(`${step.text} failed:\n${output}`);
      return;
    }
    // Instructions for the engine; the tests read them.
    case 'ENV':
    case 'USER':
    case 'ARG':
    case 'LABEL':
    case 'EXPOSE':
    case 'STOPSIGNAL':
    case 'HEALTHCHECK':
    case 'CMD':
      return;
    default:
      throw new Error(`${step.keyword} cannot be replayed`);
  }
}

/**
 * Copies as an engine does: the content of a folder, or a file. A target that ends in a slash is a
 * folder.
 */
function copy({ words, flags }: Step, here: string, folder: string): void {
  const target = words.at(-1) ?? '';
  for (const word of words.slice(0, -1)) {
    const stage = flags['from'];
    if (stage === undefined && !letThrough().some((name) => word === name || word.startsWith(`${name}/`))) {
      throw new Error(`.dockerignore keeps ${word} out`);
    }
    const source =
      stage === undefined
        ? path.join(root, word)
        : path.join(folder, stage, path.relative(workingDirectory, word));
    const into =
      statSync(source).isFile() && target.endsWith('/') ? path.join(target, path.basename(word)) : target;
    cpSync(source, path.join(here, into), { recursive: true, verbatimSymlinks: true });
  }
}
