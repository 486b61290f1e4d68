import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { changeBetween } from '../rules/versions/compare-lines';
import type { ComparedLine, StatementDay } from '../rules/reading/statement';
import { type Answers, chooseVersion, type DayChoice } from '../rules/versions/choose-version';

/** What is known of a day before its version is chosen. */
export interface DayToChoose {
  days: StatementDay[];
  answers: Answers;
  /** The lines of the version so far. Empty if there is none. */
  linesBefore: ComparedLine[];
}

export interface ComparedDay {
  choice: DayChoice | undefined;
  /** How it differs from the version before. */
  change: { gone: number; added: number };
}

export type ChooseVersion = (day: DayToChoose) => Promise<ComparedDay>;

/** Fewer lines are compared within milliseconds. */
const linesInThread = 2_000;
const compiled = path.join(__dirname, 'choose.worker.js');

export function compareVersions({ days, answers, linesBefore }: DayToChoose): ComparedDay {
  const choice = chooseVersion(days, answers);
  return { choice, change: changeBetween(linesBefore, choice?.version.lines ?? []) };
}

function compareInThread(workerData: DayToChoose): Promise<ComparedDay> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(compiled, { workerData });
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', () => {
      reject(new Error('the thread that compares versions has stopped'));
    });
  });
}

/**
 * Chooses the version of a day, in a thread if it has many lines. Only the compiled program has a
 * file for the thread. Tests run from sources, without it.
 */
export const chooseInThread: ChooseVersion = (day) => {
  const count = day.days.reduce((sum, { lines }) => sum + lines.length, day.linesBefore.length);
  return count > linesInThread && existsSync(compiled)
    ? compareInThread(day)
    : Promise.resolve().then(() => compareVersions(day));
};
