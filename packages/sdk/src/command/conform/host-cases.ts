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
} from './case.js';
import type { Received, Treatment } from './proxy.js';
import {
  changeJson,
  firewall403,
  half,
  html502,
  killed,
  problem,
  requestLost,
  responseLost,
} from './treatments.js';

type CreateStep = Step & { task: { task: 'create' } };

function order({ id, projectId, newUser }: Stage, name: string): CreateStep {
  return {
    task: {
      task: 'create',
      order_id: `${id}-${name}`,
      project_id: projectId,
      amount: '25.00',
      user_hash: newUser(),
    },
  };
}

/** Returns a verdict unless the service has recorded exactly one contribution of the user. */
async function countOf(stage: Stage, { task }: CreateStep): Promise<Verdict | undefined> {
  const count = (await stage.contributionsOf(task.user_hash)).length;
  if (count === 1) return undefined;
  return count === 0
    ? failed('The contribution was lost: the service did not record it.')
    : failed(`The user paid ${count} times: the service recorded ${count} contributions for one order.`);
}

const inFirst =
  (treatment: Treatment) =>
  ({ operation, nth }: Received): Treatment | undefined =>
    operation === 'create' && nth === 1 ? treatment : undefined;

interface CreateCase {
  name: string;
  title: string;
  guide?: string;
  treat?: (request: Received) => Treatment | undefined;
  steps?: (step: CreateStep) => CreateStep[];
  end?: Step['end'];
  /** Judges a program that sent at least one create, after the contributions were counted. */
  judge: (evidence: Evidence) => Verdict;
  /** Whether the service must have recorded exactly one contribution, default true. */
  counts?: boolean;
}

function createCase(options: CreateCase): Case {
  const {
    name,
    title,
    guide = 'errors#retries',
    treat,
    steps = (step: CreateStep): CreateStep[] => [step],
    judge,
  } = options;
  return {
    name,
    title,
    guide,
    play(stage) {
      const step = { ...order(stage, name), ...(options.end && { end: options.end }) };
      return {
        steps: steps(step),
        ...(treat && { treat }),
        async judge(evidence) {
          if (ofOperation(evidence, 'create').length === 0)
            return notReached('The program sent no create. Implement the task "create".');
          const wrong = options.counts === false ? undefined : await countOf(stage, step);
          return wrong ?? judge(evidence);
        },
      };
    },
  };
}

/** The program must find out whether the request with the lost response recorded something. */
function resolved(evidence: Evidence): Verdict {
  if (ofOperation(evidence, 'create').length > 1)
    return passed('The program repeated the create, and the service recorded one contribution.');
  return ofOperation(evidence, 'list', 'get').length > 0
    ? passed('The program looked up the contribution, and the service recorded it once.')
    : failed('The program never found out that the contribution was recorded. Repeat with the same key.');
}

const retried = (): Verdict =>
  passed('The program sent it again, and the service recorded one contribution.');

/** Judges a response that the program must not retry. */
function sentOnce(evidence: Evidence): Verdict {
  const { length } = ofOperation(evidence, 'create');
  return length === 1
    ? passed('The program sent the create once and stopped.')
    : failed(`The program sent the create ${length} times, although the response said not to retry.`);
}

function judgeRetryAfter(evidence: Evidence): Verdict {
  const [first, second] = ofOperation(evidence, 'create');
  if (!second) return notReached('The program did not retry, so the delay was not checked.');
  const seconds = (second.receivedAtMs - (first?.endedAtMs ?? 0)) / 1_000;
  return seconds >= 2.95
    ? passed(`The program waited ${seconds.toFixed(1)} s after Retry-After: 3.`)
    : failed(`The program retried after ${seconds.toFixed(1)} s, although Retry-After was 3.`);
}

function judgeInternalError(evidence: Evidence): Verdict {
  const { length } = ofOperation(evidence, 'create');
  if (length === 2) return passed('The program retried once and stopped.');
  return length === 1
    ? { result: 'warning', detail: 'The program did not retry. The guide recommends one retry.' }
    : failed(`The program sent ${length} creates. Retry internal_error once, then report it.`);
}

function judgeUnknown(evidence: Evidence): Verdict {
  if (ofOperation(evidence, 'create').length > 1)
    return failed('The program repeated a create that succeeded, because the response had unknown values.');
  return evidence.runs[0]?.exitCode === 0
    ? passed('The program accepted unknown fields and an unknown status.')
    : failed('The program failed on a response with unknown fields and an unknown status.');
}

const createCases: Case[] = [
  createCase({
    name: 'key',
    title: 'Every create has an Idempotency-Key',
    guide: 'sdk#retrying-safely',
    judge: (evidence) =>
      ofOperation(evidence, 'create').every(({ key }) => key !== undefined && key !== '')
        ? passed('The create had an Idempotency-Key.')
        : failed('A create had no Idempotency-Key. A retry would create a second contribution.'),
  }),
  createCase({
    name: 'response_lost',
    title: 'The response is lost after the commit',
    guide: 'sdk#recovering-a-lost-response',
    treat: inFirst(responseLost),
    judge: resolved,
  }),
  createCase({
    name: 'request_lost',
    title: 'The request is lost before it reaches the service',
    treat: inFirst(requestLost),
    judge: retried,
  }),
  createCase({
    name: 'unavailable',
    title: '503, then success',
    treat: inFirst(problem(503, 'overloaded', { retryable: true, retryAfter: 1 })),
    judge: retried,
  }),
  createCase({
    name: 'retry_after',
    title: 'Retry-After is obeyed',
    treat: inFirst(problem(503, 'overloaded', { retryable: true, retryAfter: 3 })),
    counts: false,
    judge: judgeRetryAfter,
  }),
  createCase({
    name: 'rate_limited',
    title: '429 three times, then success',
    guide: 'limits#rates',
    treat: ({ operation, nth }) =>
      operation === 'create' && nth <= 3
        ? problem(429, 'rate_limited', { retryable: true, retryAfter: 1 })
        : undefined,
    judge: retried,
  }),
  createCase({
    name: 'html_502',
    title: 'A proxy replaces the response with an HTML page',
    treat: inFirst(html502),
    judge: resolved,
  }),
  createCase({
    name: 'firewall_403',
    title: 'A firewall replaces the response with a 403 page, and the program is started again',
    treat: inFirst(firewall403),
    steps: (step) => [{ ...step, end: 'any' }, step],
    judge: resolved,
  }),
  createCase({
    name: 'half_a_body',
    title: 'The connection breaks in the middle of the body',
    treat: inFirst(half),
    judge: resolved,
  }),
  createCase({
    name: 'killed',
    title: 'The program is killed before the response, then restarted',
    guide: 'sdk#retrying-safely',
    treat: inFirst(killed),
    steps: (step) => [{ ...step, end: 'killed' }, step],
    judge: (evidence) => {
      const after = ofOperation(evidence, 'create', 'list', 'get').filter(({ step }) => step === 2);
      return after.length > 0
        ? passed('After the restart, the program found out that the contribution was recorded.')
        : failed('After the restart, the program did not find out that the contribution was recorded.');
    },
  }),
  createCase({
    name: 'rejected',
    title: '409 is not retried',
    treat: ({ operation }) =>
      operation === 'create' ? problem(409, 'conformance_conflict', { retryable: false }) : undefined,
    counts: false,
    end: 'failure',
    judge: sentOnce,
  }),
  createCase({
    name: 'key_reused',
    title: 'The same order with another amount creates no second contribution',
    guide: 'sdk#retrying-safely',
    steps: (step) => [step, { task: { ...step.task, amount: '30.00' }, end: 'failure' }],
    judge: () => passed('The service recorded only the first contribution.'),
  }),
  createCase({
    name: 'unknown_code',
    title: 'An unknown error code is handled by its status and retryable',
    guide: 'errors#problem-documents',
    treat: inFirst(problem(503, 'conformance_new_code', { retryable: true })),
    judge: retried,
  }),
  createCase({
    name: 'internal_error',
    title: '500 internal_error is retried once',
    treat: ({ operation }) =>
      operation === 'create' ? problem(500, 'internal_error', { retryable: false }) : undefined,
    counts: false,
    end: 'failure',
    judge: judgeInternalError,
  }),
  createCase({
    name: 'unknown_fields',
    title: 'A response with unknown fields and an unknown status is accepted',
    guide: 'sdk#versioning',
    treat: ({ operation }) =>
      operation === 'create'
        ? changeJson('unknown fields and status', (body) => ({
            ...body,
            status: 'conformance_new_status',
            conformance_new_field: { nested: [1] },
          }))
        : undefined,
    judge: judgeUnknown,
  }),
  createCase({
    name: 'wrong_environment',
    title: 'A response from the wrong environment stops the program',
    guide: 'credentials#two-environments',
    treat: () => ({
      name: 'Environment: production',
      change: (reply) => ({ ...reply, headers: { ...reply.headers, environment: 'production' } }),
    }),
    counts: false,
    end: 'failure',
    judge: () => passed('The program noticed the wrong environment.'),
  }),
];

/** A program that stops before its first create also passes the case `wrong_environment`. */
function stopsInWrongEnvironment(each: Case): Case {
  if (each.name !== 'wrong_environment') return each;
  return {
    ...each,
    async play(stage) {
      const play = await each.play(stage);
      return {
        ...play,
        judge({ exchanges, runs }) {
          if (exchanges.length === 0) return notReached('The program sent no request.');
          return runs[0]?.exitCode === 0
            ? failed('The program exited with 0, although the responses came from production.')
            : passed('The program noticed the wrong environment and stopped.');
        },
      };
    },
  };
}

const plus: Case = {
  name: 'plus_in_user_hash',
  title: 'A + in user_hash arrives unchanged in the query',
  guide: 'sdk#the-main-component',
  play() {
    const user = 'conform+plus/and=equals+Zz0=';
    return {
      steps: [{ task: { task: 'show_component', user_hash: user } }],
      judge(evidence) {
        const users = ofOperation(evidence, 'component')
          .map(({ url }) => url.searchParams.get('user_hash'))
          .filter((each) => each !== null);
        if (users.length === 0) return notReached('The program did not read the main component of the user.');
        return users.every((each) => each === user)
          ? passed('The service received the user_hash unchanged.')
          : failed('The service received another user_hash. Encode + as %2B in the query.');
      },
    };
  },
};

/** Two projects per page, at most three pages. */
const shortPages = ({ operation, nth }: Received): Treatment | undefined =>
  operation === 'projects'
    ? {
        ...changeJson('two projects per page', (body) =>
          nth >= 3 ? { ...body, has_more: false, next_cursor: null } : body,
        ),
        changeQuery: (query) => {
          query.set('limit', '2');
        },
      }
    : undefined;

const pages: Case = {
  name: 'pages',
  title: 'A list is read to its last page',
  guide: 'sdk#projects-and-paging',
  play: () => ({
    steps: [{ task: { task: 'list_projects' } }],
    treat: shortPages,
    judge(evidence) {
      const requests = ofOperation(evidence, 'projects');
      if (requests.length === 0) return notReached('The program did not list the projects.');
      const cursors = requests.map(({ url }) => url.searchParams.get('cursor'));
      const offered = requests
        .map(({ reply }) => reply?.['next_cursor'])
        .filter((each) => typeof each === 'string');
      if (offered.length === 0) return notReached('The service has too few projects for a second page.');
      return offered.every((cursor) => cursors.includes(cursor))
        ? passed(`The program read ${requests.length} pages.`)
        : failed('The program did not read every page. Continue with next_cursor while has_more is true.');
    },
  }),
};

export const hostCases: readonly Case[] = [...createCases.map(stopsInWrongEnvironment), plus, pages];
