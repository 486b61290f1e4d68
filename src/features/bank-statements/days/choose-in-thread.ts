import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { limitCpu } from '../reading/thread-cpu';
import { changeBetween } from '../rules/versions/compare-lines';
import type { ComparedLine, StatementDay } from '../rules/reading/statement';
import { mostVersions } from '../rules/versions/chains';
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

/** Fewer lines, each compared with those of the other statements, take milliseconds. */
const linesInThread = 2_000;
/** The CPU time of a thread: 25,000 lines take less than a second. */
const usualCpuMs = 60_000;
const compiled = path.join(__dirname, 'choose.worker.js');

export function compareVersions({ days, answers, linesBefore }: DayToChoose): ComparedDay {
  const choice = chooseVersion(days, answers);
  return { choice, change: changeBetween(linesBefore, choice?.version.lines ?? []) };
}

/** A person must void some versions. */
export class VersionsTooLarge extends Error {
  override readonly name = 'VersionsTooLarge';
}

/** @throws VersionsTooLarge if the comparison takes too much CPU time */
export async function compareInThread(
  workerData: DayToChoose,
  { cpuMs = usualCpuMs, program = compiled } = {},
): Promise<ComparedDay> {
  const worker = new Worker(program, { workerData });
  let folder: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (): void => {
        reject(new VersionsTooLarge('the versions of a day take too long to compare'));
      };
      timer = limitCpu(worker, cpuMs, () => folder, fail);
      worker.on('message', (reply: ComparedDay | { folder: string }) => {
        if ('folder' in reply) ({ folder } = reply);
        else resolve(reply);
      });
      worker.on('error', reject);
      worker.on('exit', () => {
        reject(new Error('the thread that compares versions has stopped'));
      });
    });
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
}

/**
 * Chooses the version of a day, in a thread if it has many lines or statements. Only the compiled
 * program has a file for the thread. Tests run from sources, without it.
 *
 * @throws VersionsTooLarge
 */
export const chooseInThread: ChooseVersion = (day) => {
  const count = day.days.reduce((sum, { lines }) => sum + lines.length, day.linesBefore.length);
  const isLarge = count * Math.max(1, day.days.length / 2) > linesInThread || day.days.length > mostVersions;
  return isLarge && existsSync(compiled)
    ? compareInThread(day)
    : Promise.resolve().then(() => compareVersions(day));
};
