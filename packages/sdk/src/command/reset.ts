import type { ResetSandboxBody } from '../generated/api.js';
import { columns, type Command, type Context, textOf, UsageError } from './command.js';

const seeds: readonly string[] = ['empty', 'demo'];

/** Checks the seed early. The service would reject an unknown one only after the confirmation. */
function seedOf({ values }: Context): ResetSandboxBody {
  const seed = textOf(values, 'seed');
  if (seed === undefined) return {};
  if (!seeds.includes(seed)) throw new UsageError(`--seed must be ${seeds.join(' or ')}.`);
  return { seed: seed as NonNullable<ResetSandboxBody['seed']> };
}

async function confirm({ values, ask }: Context): Promise<void> {
  if (values['yes'] === true) return;
  if (!ask) throw new UsageError('There is no terminal to confirm on. Pass --yes.');
  const reply = await ask(
    'The reset starts an empty test environment. You can no longer read the old contributions. Type yes to reset: ',
  );
  if (reply.trim().toLowerCase() !== 'yes') throw new UsageError('Nothing was reset.');
}

export const reset: Command = {
  summary: 'start an empty test environment',
  help: `Usage: contribution-service-sdk reset [OPTIONS]

Starts an empty test environment. Your key pairs, settings and bank links stay. Contributions, returns,
users, idempotency keys, faults, the event feed and the request log start empty.

  --seed SEED   empty (default), or demo for a few pending contributions
  --yes         do not ask for confirmation`,
  options: { seed: { type: 'string' }, yes: { type: 'boolean' } },
  worksInProduction: false,
  left: 'The test environment was reset. This cannot be undone.',
  async run(context) {
    if (context.positionals.length > 0)
      throw new UsageError('This command takes no arguments, only options.');
    const body = seedOf(context);
    await confirm(context);
    const result = await context.client().sandbox.reset(body);
    context.print(
      result,
      [
        columns([
          ['reset at', result.reset_at],
          ['resets left within 24 hours', String(result.resets_left)],
        ]),
        ...result.transaction_ids,
      ].join('\n'),
    );
    return 0;
  },
};
