import { ConnectionFailed, DeadlineExceeded, WrongEnvironment } from '../errors.js';
import type { GetMeResponse } from '../generated/api.js';
import { columns, type Command, type Context, withAdvice } from './command.js';

interface Check {
  check: 'https' | 'reachable' | 'credentials' | 'environment' | 'company' | 'expiry' | 'clock';
  result: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
}

/** Facts about the last response. */
interface Seen {
  date: string | null;
  environment: string | null;
  /** The local time halfway between request and response. */
  at: number;
}

const mostSkewMs = 5_000;
const dayMs = 86_400_000;
const daysToRotate = 30;

function httpsCheck(apiUrl: string): Check {
  const { protocol, hostname } = new URL(apiUrl);
  const check = 'https' as const;
  if (protocol === 'https:') return { check, result: 'ok', detail: 'The connection is encrypted.' };
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
  return isLocal
    ? { check, result: 'ok', detail: 'Plain HTTP on this machine.' }
    : { check, result: 'warning', detail: 'Plain HTTP sends the secret unencrypted. Use https://.' };
}

function clockCheck(seen: Seen | undefined): Check {
  const check = 'clock' as const;
  const time = seen?.date ? Date.parse(seen.date) : Number.NaN;
  if (!seen || Number.isNaN(time))
    return { check, result: 'skipped', detail: 'No response with a Date header arrived.' };
  // The `Date` header has whole seconds, so add half a second.
  const skewMs = seen.at - (time + 500);
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(0);
  const where = skewMs > 0 ? 'ahead of' : 'behind';
  return Math.abs(skewMs) <= mostSkewMs
    ? { check, result: 'ok', detail: 'Your clock agrees with the service.' }
    : {
        check,
        result: 'warning',
        detail: `Your clock is ${seconds} s ${where} the service. Correct it before you filter by time.`,
      };
}

/** The checks that depend on the outcome of one request. */
function requestChecks(error: unknown, seen: Seen | undefined, expected: string): Check[] {
  const skip = (check: Check['check']): Check => ({
    check,
    result: 'skipped',
    detail: 'An earlier check failed.',
  });
  if (error instanceof ConnectionFailed || error instanceof DeadlineExceeded)
    return [
      { check: 'reachable', result: 'failed', detail: withAdvice(error.message) },
      skip('credentials'),
      skip('environment'),
    ];
  const reachable: Check = { check: 'reachable', result: 'ok', detail: 'The service responds.' };
  if (error !== undefined && !(error instanceof WrongEnvironment))
    return [
      reachable,
      { check: 'credentials', result: 'failed', detail: (error as Error).message },
      skip('environment'),
    ];
  const isExpected = !(error instanceof WrongEnvironment) && seen?.environment === expected;
  return [
    reachable,
    { check: 'credentials', result: 'ok', detail: 'The service accepts the key pair.' },
    {
      check: 'environment',
      result: isExpected ? 'ok' : 'failed',
      detail: isExpected
        ? `You use the ${expected} environment.`
        : `The response is not from ${expected}. Check CONTRIBUTION_API_URL and the proxies in between.`,
    },
  ];
}

function companyCheck({ status }: GetMeResponse['company']): Check {
  const check = 'company' as const;
  if (status === 'suspended')
    return {
      check,
      result: 'warning',
      detail: 'Your company is suspended and cannot create contributions. Ask the operator.',
    };
  return { check, result: 'ok', detail: `Your company is ${status}.` };
}

function expiryCheck(expiresAt: string | null): Check {
  const check = 'expiry' as const;
  if (expiresAt === null) return { check, result: 'ok', detail: 'The key pair does not expire.' };
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / dayMs);
  const detail = `The key pair expires on ${expiresAt.slice(0, 10)}.`;
  return days >= daysToRotate
    ? { check, result: 'ok', detail }
    : { check, result: 'warning', detail: `${detail} Ask the operator for a new pair now.` };
}

/** What the key pair stands for, as lines of a table. */
function identity({ company, environment, transaction_id_prefix, ...me }: GetMeResponse): string[][] {
  const { requests, completions, batches } = me.rate_limits;
  const links = me.links?.data.map(({ role, company_name, linked_at }) => [
    `linked ${role}`,
    `${company_name}, since ${linked_at.slice(0, 10)}`,
  ]);
  return [
    ['company', `${company.company_name} (${company.company_id})`],
    ['environment', environment],
    ['key pair', `${me.key_pair.api_key}, created ${me.key_pair.created_at.slice(0, 10)}`],
    ['scopes', me.key_pair.scopes.join(', ')],
    ['transaction ids', `begin with ${transaction_id_prefix}`],
    ...(links ?? []),
    ...(me.links?.has_more ? [['more links', 'GET /links']] : []),
    [
      'rate limits',
      `per second: requests ${requests.per_second}, completions ${completions.per_second}, files of completions ${batches.per_second}`,
    ],
    ['service', `version ${me.service_version}`],
  ];
}

async function examine({ client, apiUrl }: Context): Promise<{ checks: Check[]; me: GetMeResponse | null }> {
  let seen: Seen | undefined;
  const watched: typeof fetch = async (input, init) => {
    const startedAt = Date.now();
    const response = await fetch(input, init);
    const { headers } = response;
    seen = {
      date: headers.get('Date'),
      environment: headers.get('Environment'),
      at: (startedAt + Date.now()) / 2,
    };
    return response;
  };
  const probe = client({ fetch: watched, maxAttempts: 2, deadlineMs: 15_000 });
  const https = httpsCheck(apiUrl);
  let me: GetMeResponse | null = null;
  let error: unknown;
  try {
    me = await probe.me.retrieve();
  } catch (reason) {
    error = reason;
  }
  const ofPair = me ? [companyCheck(me.company), expiryCheck(me.key_pair.expires_at)] : [];
  return {
    checks: [https, ...requestChecks(error, seen, probe.environment), ...ofPair, clockCheck(seen)],
    me,
  };
}

export const doctor: Command = {
  summary: 'check credentials, HTTPS, connection, environment and clock, and show who you are',
  help: `Usage: contribution-service-sdk doctor [OPTIONS]

Checks the credentials, HTTPS, the connection, the environment and your clock. Then it shows what
your key pair stands for: company, scopes, bank links and rate limits. It changes nothing.`,
  options: {},
  worksInProduction: true,
  left: undefined,
  async run(context) {
    const { checks, me } = await examine(context);
    const isOk = checks.every(({ result }) => result !== 'failed');
    context.print(
      { ok: isOk, checks, me },
      [
        columns(checks.map(({ check, result, detail }) => [result, check, detail])),
        ...(me ? ['', columns(identity(me))] : []),
      ].join('\n'),
    );
    return isOk ? 0 : 1;
  },
};
