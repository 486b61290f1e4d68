import { ConnectionFailed, DeadlineExceeded, RequestRejected, WrongEnvironment } from '../errors.js';
import { columns, type Command, type Context, withAdvice } from './command.js';

interface Check {
  check: 'https' | 'reachable' | 'credentials' | 'environment' | 'clock';
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
  const isAccepted =
    error === undefined ||
    error instanceof WrongEnvironment ||
    (error instanceof RequestRejected && error.code === 'scope_missing');
  if (!isAccepted)
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

async function examine({ client, apiUrl }: Context): Promise<Check[]> {
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
  const error = await probe.projects.list({ limit: 1 }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return [https, ...requestChecks(error, seen, probe.environment), clockCheck(seen)];
}

export const doctor: Command = {
  summary: 'check credentials, HTTPS, connection, environment and clock',
  help: `Usage: contribution-service-sdk doctor [OPTIONS]

Checks the credentials, HTTPS, the connection, the environment and your clock. It changes nothing.`,
  options: {},
  worksInProduction: true,
  left: undefined,
  async run(context) {
    const checks = await examine(context);
    const isOk = checks.every(({ result }) => result !== 'failed');
    context.print(
      { ok: isOk, checks },
      columns(checks.map(({ check, result, detail }) => [result, check, detail])),
    );
    return isOk ? 0 : 1;
  },
};
