import type { Contribution } from '../../generated/api.js';
import {
  type Case,
  type Evidence,
  failed,
  notReached,
  ofOperation,
  passed,
  type Stage,
  type Step,
  type Verdict,
  warning,
} from './case.js';
import type { Treatment } from './proxy.js';
import { changeJson } from './treatments.js';

const read = (from: string | null): Step => ({ task: { task: 'read_window', completed_from: from } });

/** Creates contributions and completes them one after the other. */
async function completeSome(stage: Stage, name: string, count: number): Promise<Contribution[]> {
  const { client, projectId, id, newUser } = stage;
  const completed: Contribution[] = [];
  for (let index = 0; index < count; index += 1) {
    const { transaction_id: transactionId } = await client.contributions.create(
      { project_id: projectId, amount: '5.00', user_hash: newUser() },
      { idempotencyKey: `${id}-${name}-${index}` },
    );
    await client.bank.complete(transactionId, { amount: '5.00' });
    completed.push(await client.contributions.retrieve(transactionId));
  }
  return completed;
}

const before = (time: string): string => new Date(Date.parse(time) - 1_000).toISOString();

const notRead = notReached('The program read no window. Implement the task "read_window".');

/** Checks that the second window starts at `until`. */
function judgeNext(evidence: Evidence, until: string): Verdict {
  const requests = ofOperation(evidence, 'list');
  if (requests.length === 0) return notRead;
  const next = requests.find(({ step }) => step === 2)?.url.searchParams.get('completed_from');
  if (next === undefined)
    return failed('The second run read nothing. Save complete_until, and continue from it.');
  if (next === null) return failed('The second run sent no completed_from.');
  if (Date.parse(next) > Date.parse(until))
    return failed(
      `The next window starts at ${next}, after complete_until ${until}: a completion is missed.`,
    );
  return Date.parse(next) < Date.parse(until)
    ? warning(`The next window starts at ${next}, before complete_until ${until}: it repeats completions.`)
    : passed('The next window starts at complete_until, so every completion falls into exactly one window.');
}

const slowCommit: Case = {
  name: 'slow_commit',
  title: 'A completion that becomes visible late is in the next window',
  guide: 'bank#miss-nothing-with-complete_until',
  async play(stage) {
    const [late] = await completeSome(stage, 'slow_commit', 2);
    const until = late?.completed_at ?? '';
    // The service responds like this while the first of two completions is not committed yet.
    const hide: Treatment = changeJson('the first completion is not visible yet', (body) => ({
      ...body,
      complete_until: until,
      data: (body['data'] as Contribution[]).filter(({ transaction_id: id }) => id !== late?.transaction_id),
    }));
    return {
      steps: [read(before(until)), read(null)],
      treat: ({ operation, step }) => (operation === 'list' && step === 1 ? hide : undefined),
      judge: (evidence) => judgeNext(evidence, until),
    };
  },
};

const windowPages: Case = {
  name: 'window_pages',
  title: 'A window is read to its last page',
  guide: 'bank#miss-nothing-with-complete_until',
  async play(stage) {
    const [first] = await completeSome(stage, 'window_pages', 3);
    return {
      steps: [read(before(first?.completed_at ?? ''))],
      treat: ({ operation }) =>
        operation === 'list'
          ? {
              name: 'one contribution per page',
              changeQuery: (query) => {
                query.set('limit', '1');
              },
            }
          : undefined,
      judge(evidence) {
        const requests = ofOperation(evidence, 'list');
        if (requests.length === 0) return notRead;
        const cursors = requests.map(({ url }) => url.searchParams.get('cursor'));
        const isLast = ({ reply }: (typeof requests)[number]): boolean =>
          cursors.includes(String(reply?.['next_cursor'])) || reply?.['next_cursor'] === null;
        // Rows are in order of time, so a program may stop at the first row after the window.
        const isAfter = ({ reply }: (typeof requests)[number]): boolean =>
          (reply?.['data'] as Contribution[] | undefined)?.some(
            ({ completed_at: at }) => typeof at === 'string' && at >= String(reply?.['complete_until']),
          ) === true;
        return requests.every((each) => isLast(each) || isAfter(each))
          ? passed(`The program read ${requests.length} pages.`)
          : failed('The program did not read every page. Continue with next_cursor while has_more is true.');
      },
    };
  },
};

const unknownStatus: Case = {
  name: 'unknown_status',
  title: 'A window with an unknown status and unknown fields is accepted',
  guide: 'sdk#versioning',
  async play(stage) {
    const [first] = await completeSome(stage, 'unknown_status', 1);
    const change = changeJson('unknown status and fields', (body) => ({
      ...body,
      data: (body['data'] as object[]).map((row) => ({
        ...row,
        status: 'conformance_new_status',
        conformance_new_field: 1,
      })),
    }));
    return {
      steps: [read(before(first?.completed_at ?? ''))],
      treat: ({ operation }) => (operation === 'list' ? change : undefined),
      judge(evidence) {
        if (ofOperation(evidence, 'list').length === 0) return notRead;
        return evidence.runs[0]?.exitCode === 0
          ? passed('The program accepted an unknown status and unknown fields.')
          : failed('The program failed on an unknown status or an unknown field.');
      },
    };
  },
};

export const windowCases: readonly Case[] = [slowCommit, windowPages, unknownStatus];
