import { run } from '../../packages/sdk/src/command/run.js';
import type { Credentials } from './client';

export interface CommandResult {
  exitCode: number;
  out: string;
  error: string;
}

/** The environment variables with which a partner's pair uses the SDK's command. */
export const commandVariables = (
  { port }: { port: number },
  { apiKey = '', apiSecret = '' }: Credentials,
): Record<string, string> => ({
  CONTRIBUTION_API_URL: `http://127.0.0.1:${port}/company/integration`,
  CONTRIBUTION_API_KEY: apiKey,
  CONTRIBUTION_API_SECRET: apiSecret,
});

/** Runs the SDK's command in this process. */
export async function runSdkCommand(
  args: string[],
  variables: Record<string, string>,
  ask?: (question: string) => Promise<string>,
): Promise<CommandResult> {
  const lines: string[] = [];
  const errors: string[] = [];
  const exitCode = await run(args, variables, {
    ask,
    out: (line) => lines.push(line),
    error: (line) => errors.push(line),
  });
  const result = { exitCode, out: lines.join('\n'), error: errors.join('\n') };
  for (const text of [result.out, result.error])
    expect(text).not.toContain(variables['CONTRIBUTION_API_SECRET'] || '-none-');
  return result;
}
