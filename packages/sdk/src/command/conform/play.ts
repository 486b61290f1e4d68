import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { ContributionError } from '../../errors.js';
import { UsageError } from '../command.js';
import { type Case, failed, notReached, type Play, type Run, type Stage, type Verdict } from './case.js';
import { type Program, Programs } from './program.js';
import { type Exchange, Proxy } from './proxy.js';

/** The result of one case. */
export interface Played extends Verdict {
  name: string;
  title: string;
  /** The address of the section of the guide. */
  guide: string;
  exchanges: readonly Exchange[];
  runs: readonly Run[];
  seconds: number;
}

export interface Setting extends Program {
  stage: Stage;
  apiUrl: string;
}

async function runSteps(
  { steps, files = {} }: Play,
  setting: Setting,
  programs: Programs,
  proxy: Proxy,
): Promise<Run[]> {
  const { command, timeoutMs, apiUrl } = setting;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'conform-'));
  const runs: Run[] = [];
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
    for (const step of steps) {
      const { task, copies = 1, variables } = step;
      await step.before?.();
      proxy.step += 1;
      const environment = {
        ...setting.variables,
        CONTRIBUTION_API_URL: `http://127.0.0.1:${proxy.port}${new URL(apiUrl).pathname.replace(/\/+$/, '')}`,
        CONFORM_TASK: JSON.stringify(task),
        CONFORM_FOLDER: folder,
        ...variables,
      };
      const program = { command, timeoutMs, variables: environment };
      const running = Array.from({ length: copies }, async () => ({
        step,
        ...(await programs.run(program)),
      }));
      runs.push(...(await Promise.all(running)));
      await proxy.idle();
    }
    return runs;
  } finally {
    await programs.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The problem with the exit codes. Undefined if there is none. */
function wrongEnd(runs: readonly Run[]): string | undefined {
  for (const { step, exitCode } of runs) {
    const { end = 'success' } = step;
    if (end === 'success' && exitCode !== 0)
      return `But it ${exitCode === undefined ? 'was ended by a signal' : `exited with ${exitCode}`}, as if the task had failed. Exit with 0.`;
    if (end === 'failure' && exitCode === 0)
      return 'But it exited with 0, as if the task had succeeded. Exit with another code.';
  }
  return undefined;
}

const mostLines = 6;

/** The last lines of the standard error of a run, without stack frames. */
export function lastErrors(run: Run | undefined): string {
  const lines = (run?.errors ?? '').split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines
    .slice(-mostLines)
    .map((line) => `\n    ${line}`)
    .join('');
}

/**
 * Whether the program failed before its first request and printed an error. It would then fail the
 * other cases too.
 */
export const failedAtOnce = ({ exchanges, runs: [run] }: Played): boolean =>
  exchanges.length === 0 && run !== undefined && run.exitCode !== 0 && lastErrors(run) !== '';

async function judge(play: Play, proxy: Proxy, runs: Run[]): Promise<Verdict> {
  if (runs.some(({ isTimeout }) => isTimeout))
    return failed('The program did not exit in time. It must exit after its task.');
  const verdict = await play.judge({ exchanges: proxy.exchanges, runs });
  const isSilent = verdict.result === 'not_reached' && proxy.exchanges.length === 0;
  if (isSilent)
    return notReached(
      `${verdict.detail} The program exited with ${runs[0]?.exitCode ?? 'a signal'}.${lastErrors(runs[0])}`,
    );
  const wrong = verdict.result === 'passed' || verdict.result === 'warning' ? wrongEnd(runs) : undefined;
  return wrong === undefined ? verdict : failed(`${verdict.detail} ${wrong}`);
}

/** Plays one case: starts the program behind a separate proxy, and checks the result. */
export async function playCase({ play, ...each }: Case, setting: Setting): Promise<Played> {
  const startedAt = performance.now();
  const { origin } = new URL(setting.apiUrl);
  const proxy = await Proxy.start(origin);
  const programs = new Programs();
  proxy.kill = async () => programs.kill();
  const runs: Run[] = [];
  let verdict: Verdict;
  try {
    const prepared = await play(setting.stage);
    if (prepared.treat) proxy.treat = prepared.treat;
    runs.push(...(await runSteps(prepared, setting, programs, proxy)));
    verdict = await judge(prepared, proxy, runs);
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof ContributionError)) throw error;
    verdict = notReached(`The kit could not prepare or check the case: ${error.message}`);
  } finally {
    await proxy.stop();
  }
  return {
    ...each,
    ...verdict,
    guide: `${origin}/docs/${each.guide}`,
    exchanges: proxy.exchanges,
    runs,
    seconds: Number(((performance.now() - startedAt) / 1_000).toFixed(1)),
  };
}
