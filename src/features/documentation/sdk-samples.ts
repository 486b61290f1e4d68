import type { SdkMethod } from './sdk-reference/sdk-names';

/** The values with which the samples of an operation call the SDK. */
export interface SdkRequest {
  /** The identifiers in the path, in their order. */
  ids: readonly string[];
  /** The required parameters of the query. */
  query: Readonly<Record<string, string>>;
  body: unknown;
  key: string | undefined;
}

/** A literal with the members on lines of their own. */
export const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replaceAll('"', "'");

const quoted = (id: string): string => (/^\d+$/.test(id) ? id : `'${id}'`);

/** The calls that differ from the request: they read a file, or take the body in another form. */
const ownSamples: Partial<Record<string, (request: SdkRequest) => string>> = {
  completeContribution({ ids, body }) {
    const { status, ...evidence } = body as { status: string };
    return `// Sends status: '${status}' with the evidence.\nconsole.log(await client.bank.complete(${ids.map(quoted).join()}, ${literalOf(evidence)}));`;
  },
  completeContributions: ({ body }) =>
    `const completions = [${literalOf(body)}];\nfor await (const outcome of client.bank.completeMany({ completions })) console.log(outcome);`,
  importStatement: () =>
    `import { readFile } from 'node:fs/promises';\n\nconsole.log(await client.statements.upload({ file: await readFile('statement.xml') }));`,
  importSettlements: ({ body }) =>
    `console.log(await client.statements.importSettlements({ lines: [${literalOf(body)}] }));`,
};

/**
 * The call of an operation with the SDK, or undefined if the SDK does not have it.
 *
 * @param methods the SDK's methods that send the operation
 */
export function sdkSampleOf(
  operationId: string,
  methods: readonly SdkMethod[],
  request: SdkRequest,
): string | undefined {
  // A preview sends more than the request: dry_run.
  const method = methods.find(({ type, label }) => /^(Call|List)</.test(type) && !label.includes('.preview'));
  const own = ownSamples[operationId];
  if (own || !method) return own?.(request);
  const { ids, query, body, key } = request;
  const params = body ?? (Object.keys(query).length > 0 ? query : undefined);
  const call = `${method.label}(${[
    ...ids.map(quoted),
    ...(params === undefined ? [] : [literalOf(params)]),
    ...(key === undefined ? [] : [`{ idempotencyKey: '${key}' }`]),
  ].join(', ')})`;
  if (method.type.startsWith('List<')) return `for await (const row of ${call}) console.log(row);`;
  return method.type === 'Call<undefined>' ? `await ${call};` : `console.log(await ${call});`;
}
