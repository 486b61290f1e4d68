import { randomBytes } from 'node:crypto';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ContributionService } from '../../client.js';
import { columns, type Command, type Context, integerOf, textOf, UsageError } from '../command.js';
import { bankCases } from './bank-cases.js';
import type { Case, Stage } from './case.js';
import { hostCases } from './host-cases.js';
import { monthEndCases } from './month-end-cases.js';
import { failedAtOnce, type Played, playCase, type Setting } from './play.js';
import { playReceiver } from './play-receiver.js';
import { notListening, receiverCases } from './receiver-cases.js';
import { dataOf, htmlOf, labels } from './report.js';

type Play = (setting: Setting) => Promise<Played>;
interface Playable {
  name: string;
  play: Play;
}

const ofProgram = (each: Case): Playable => ({
  name: each.name,
  play: (setting) => playCase(each, setting),
});
const profiles = {
  host: hostCases.map(ofProgram),
  bank: bankCases.map(ofProgram),
  'month-end': monthEndCases.map(ofProgram),
  receiver: receiverCases.map((each) => ({
    name: each.name,
    play: (setting: Setting) => playReceiver(each, setting),
  })),
};
type Profile = keyof typeof profiles;

/** The names of the cases of each profile. */
const caseNames = Object.entries(profiles)
  .map(([profile, cases]) => `  ${profile}:\n    ${cases.map(({ name }) => name).join(' ')}`)
  .join('\n');

function profileOf(values: Context['values']): Profile {
  const name = textOf(values, 'profile');
  if (name === undefined || !Object.hasOwn(profiles, name))
    throw new UsageError('Pass --profile host, --profile bank, --profile month-end or --profile receiver.');
  return name as Profile;
}

function casesOf(profile: Profile, names: string | undefined): readonly Playable[] {
  const all: readonly Playable[] = profiles[profile];
  if (names === undefined) return all;
  const wanted = names.split(',');
  const unknown = wanted.filter((name) => !all.some((each) => each.name === name));
  if (unknown.length > 0)
    throw new UsageError(
      `No case ${unknown.join(', ')}. The cases are ${all.map(({ name }) => name).join(', ')}.`,
    );
  return all.filter(({ name }) => wanted.includes(name));
}

const needsNoBank =
  'Use a test pair of a company without a bank: the kit creates contributions, and your program completes them.';
const withBank: Readonly<Record<string, string>> = {
  simulated:
    'This company has the simulated bank. End its link with: ./node_modules/.bin/contribution-service-sdk settings --bank none',
  linked:
    'The operator linked a bank to this company, and only the operator can end the link. If you are a bank, use your own test pair. Otherwise, ask the operator for one.',
};

/** @throws UsageError if the environment cannot be used for the profile */
async function prepare(client: ContributionService, profile: Profile): Promise<Stage> {
  const { data: projects } = await client.projects.list({ limit: 1 });
  const [project] = projects;
  if (!project) throw new UsageError('The service has no projects.');
  if (profile === 'bank' || profile === 'month-end') {
    const { bank } = await client.sandbox.retrieveSettings();
    if (bank !== 'none') throw new UsageError(`${needsNoBank} ${withBank[bank] ?? ''}`.trim());
  }
  const id = `conform-${randomBytes(4).toString('hex')}`;
  return {
    client,
    projectId: project.project_id,
    id,
    newUser: () => randomBytes(32).toString('base64'),
    async contributionsOf(user) {
      const all = [];
      for await (const each of client.contributions.list({ user_hash: user })) all.push(each);
      return all;
    },
  };
}

/**
 * Runs the functions, at most this many at once.
 *
 * @returns the results in order, without undefined ones
 */
async function inParallel<T>(
  count: number,
  functions: readonly (() => Promise<T | undefined>)[],
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next; index < functions.length; index = next) {
      next += 1;
      const result = await functions[index]?.();
      if (result !== undefined) results[index] = result;
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  return results.filter((result) => result !== undefined);
}

/**
 * Checks early that the report can be written, because it is written after all cases.
 *
 * @throws UsageError if it cannot be written
 */
async function checkReport(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  try {
    await access(folder, constants.W_OK);
  } catch {
    throw new UsageError(`--report: the folder ${folder} does not exist or is not writable.`);
  }
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new UsageError(`--report: ${file} is a folder. Pass the name of a file.`);
}

async function conformAll(context: Context, profile: Profile): Promise<Played[]> {
  const { values, positionals, apiUrl, variables, print } = context;
  if (positionals.length === 0)
    throw new UsageError('Pass your program after --, such as -- node client.js.');
  const cases = casesOf(profile, textOf(values, 'cases'));
  const wanted = integerOf(values, 'parallel') ?? 1;
  // An upload that is not read yet keeps the months of the environment open.
  const parallel = profile === 'month-end' ? Math.min(wanted, 1) : wanted;
  if (parallel < 1) throw new UsageError('--parallel must be at least 1.');
  const timeoutMs = (integerOf(values, 'timeout') ?? 60) * 1_000;
  const setting = {
    command: positionals,
    variables,
    timeoutMs,
    apiUrl,
    stage: await prepare(context.client(), profile),
  };
  let isStopped = false;
  return inParallel(
    parallel,
    cases.map(({ play }, index) => async () => {
      if (isStopped) return undefined;
      context.noteChange();
      const played = await play(setting);
      const row = [labels[played.result].padEnd(11), played.name.padEnd(20), played.detail];
      if (values['json'] !== true) print(undefined, columns([row]));
      // Skip the other cases if the program does not start or listen in the first case.
      isStopped ||= index === 0 && (played.detail.startsWith(notListening) || failedAtOnce(played));
      return played;
    }),
  );
}

export const conform: Command = {
  summary: 'check how your own program handles lost responses, errors and paging',
  help: `Usage: contribution-service-sdk conform --profile host|bank|month-end|receiver [OPTIONS] -- PROGRAM [ARGUMENTS]

Starts your program at least once for each case, behind a proxy that causes failures. Then it reads your
contributions and the request log, and says what your program did. Use a test pair: the kit creates
contributions.

Your program gets these environment variables, does the task and exits with 0, or with another code if it
cannot do the task:
  CONTRIBUTION_API_URL      the address of the API at the proxy
  CONTRIBUTION_API_KEY      your API-Key
  CONTRIBUTION_API_SECRET   your API-Secret
  CONFORM_TASK              the task, as JSON
  CONFORM_FOLDER            a folder for your program's files. It is empty at first, except for the statements
                            of month-end. Its content survives a restart of your program

Tasks of the profile host:
  {"task": "create", "order_id": "…", "project_id": 1, "amount": "25.00", "user_hash": "…"}
  {"task": "show_component", "user_hash": "…"}   read the main component of this user
  {"task": "list_projects"}                      read all projects
Tasks of the profile bank:
  {"task": "complete", "transaction_id": "…", "amount": "25.00", "bank_reference": "…", "value_date": "…"}
  {"task": "read_window", "completed_from": "…"} read the completions since this time; null: continue after the last window
Tasks of the profile month-end:
  {"task": "complete_many", "completions": [{"transaction_id": "…", "amount": "25.00", "bank_reference": "…"}, …]}
                                                 send all of them; afterwards, fail if one was refused
  {"task": "upload_statement", "file": "…"}      upload this file in CONFORM_FOLDER, wait until it was read, and
                                                 fail if it was rejected, has problems, or its account has a question
  {"task": "record_returns", "file": "…"}        upload the file in the same way, and record each return that
                                                 it contains
  {"task": "check_month", "from": "…"}           fail if a contribution that was created since then is open or
                                                 unconfirmed
  {"task": "answer_question", "account_id": "…", "day": "…", "answer": {…}}
                                                 send this answer to the question about the day
  {"task": "decide_entry", "entry_id": "…", "decision": {…}}
                                                 record this decision on the entry
  {"task": "close_month", "month": "…", "reason": "…", "accounts_without_statements": […]}
                                                 close the month; fail if the service refuses it
  {"task": "reopen_month", "month": "…", "reason": "…"}
                                                 reopen the month

With the profile receiver, your program is a server that keeps running. It receives webhooks at PORT, on every path.
  WEBHOOK_SECRET   the secret of the endpoint; during a rotation, two secrets separated by a space
Your program appends the id of each event that it processes to the file "processed" in CONFORM_FOLDER.

  --profile NAME   host: you create contributions. bank: you complete them. month-end: you compare them with
                   statements. receiver: you receive webhooks
  --cases A,B      only these cases
  --report FILE    write a report as HTML
  --parallel N     run N cases at once, default 1; month-end always runs one
  --timeout N      time limit for each run of your program, in seconds, default 60

Cases:
${caseNames}

Results: PASSED, WARNING, FAILED, and NOT REACHED if your program did not reach the step that the case
checks. The exit code is 0 if every case is PASSED or WARNING.`,
  options: {
    profile: { type: 'string' },
    cases: { type: 'string' },
    report: { type: 'string' },
    parallel: { type: 'string' },
    timeout: { type: 'string' },
  },
  worksInProduction: false,
  left: 'The kit created contributions in your test environment. "reset" removes them.',
  async run(context) {
    const profile = profileOf(context.values);
    const file = textOf(context.values, 'report');
    if (file !== undefined) await checkReport(file);
    const results = await conformAll(context, profile);
    if (file !== undefined) await writeFile(file, htmlOf(profile, results));
    const ok = results.every(({ result }) => result === 'passed' || result === 'warning');
    const passedCount = results.filter(({ result }) => result === 'passed').length;
    const total = casesOf(profile, textOf(context.values, 'cases')).length;
    const notRun = total - results.length;
    const reason =
      notRun === 0
        ? ''
        : `; ${notRun} ${notRun === 1 ? 'was' : 'were'} not run, because the program did not start`;
    context.print(dataOf(profile, ok, results), `${passedCount} of ${total} cases passed${reason}.`);
    return ok ? 0 : 1;
  },
};
