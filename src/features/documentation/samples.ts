import { literalOf } from './sdk-samples';

/** The languages of samples, in the order of their tabs. */
export const sampleLanguages = { js: 'SDK', sh: 'curl', ts: 'TypeScript', py: 'Python' } as const;

export type SampleLanguage = keyof typeof sampleLanguages;

export interface Sample {
  language: SampleLanguage;
  code: string;
}

export const isSampleLanguage = (language: string): language is SampleLanguage =>
  Object.hasOwn(sampleLanguages, language);

/** A request of the reference. */
export interface SampleRequest {
  method: string;
  /** Relative to the address in `CONTRIBUTION_API_URL`. */
  path: string;
  body: unknown;
  key: string | undefined;
  /** Whether the request may be retried. */
  isSafeToRetry: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Without quotes if the shell reads it as it is. */
const argument = (text: string): string => (/^[\w/.-]+$/.test(text) ? text : quoted(text));

function pythonOf(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const deeper = `${indent}    `;
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(
    ([name, item]) => `${deeper}${isList ? '' : `${JSON.stringify(name)}: `}${pythonOf(item, deeper)},\n`,
  );
  return `${isList ? '[' : '{'}\n${items.join('')}${indent}${isList ? ']' : '}'}`;
}

/** Formats a call. Omits undefined arguments at the end. */
function call(name: string, given: readonly (string | undefined)[], nothing: string): string {
  const last = given.findLastIndex((each) => each !== undefined);
  return `${name}(${given
    .slice(0, last + 1)
    .map((each) => each ?? nothing)
    .join(', ')})`;
}

/**
 * The upload of a file with curl. JSON lines are passed on the command line. In other formats,
 * curl reads the file that the SDK sample reads.
 */
export function uploadSampleOf(
  { method, path, body }: Pick<SampleRequest, 'method' | 'path' | 'body'>,
  mediaType: string,
): Sample {
  const file = mediaType === 'application/x-ndjson' ? quoted(JSON.stringify(body)) : '@statement.xml';
  const code = [
    `call ${method} ${argument(path)}`,
    `-H 'Content-Type: ${mediaType}'`,
    `--data-binary ${file}`,
  ].join(' \\\n  ');
  return { language: 'sh', code };
}

/** The same request in each language, with `call` and `send` of the first guide. */
export function samplesOf({ method, path, body, key, isSafeToRetry }: SampleRequest): Sample[] {
  const hasBody = body !== undefined;
  const curl = [
    `call ${method} ${argument(path)}`,
    ...(hasBody ? ["-H 'Content-Type: application/json'"] : []),
    ...(key === undefined ? [] : [`-H 'Idempotency-Key: ${key}'`]),
    ...(hasBody ? [`-d ${quoted(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ');
  const headers = key === undefined ? undefined : `{ 'Idempotency-Key': '${key}' }`;
  const typescript = call(
    isSafeToRetry ? 'send' : 'sendOnce',
    [`'${method}'`, `'${path}'`, hasBody ? literalOf(body) : undefined, headers],
    'undefined',
  );
  const python = call(
    isSafeToRetry ? 'send' : 'send_once',
    [
      `"${method}"`,
      `"${path}"`,
      hasBody ? pythonOf(body) : undefined,
      key === undefined ? undefined : `{"Idempotency-Key": "${key}"}`,
    ],
    'None',
  );
  return [
    { language: 'sh', code: curl },
    { language: 'ts', code: `console.log(await ${typescript});` },
    { language: 'py', code: `print(${python})` },
  ];
}
