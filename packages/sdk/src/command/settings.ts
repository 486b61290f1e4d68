import type { SandboxSettings, SetSandboxSettingsBody } from '../generated/api.js';
import { columns, type Command, type Context, integerOf, textOf, UsageError } from './command.js';

/** The changes that the options ask for. */
function changesOf({ values }: Context): Partial<SetSandboxSettingsBody> {
  const magic = textOf(values, 'magic-amounts');
  if (magic !== undefined && magic !== 'on' && magic !== 'off')
    throw new UsageError('--magic-amounts must be on or off.');
  const changes = {
    // Only the service checks the bank, because a later version may know more banks.
    bank: textOf(values, 'bank') as SetSandboxSettingsBody['bank'] | undefined,
    settle_after_seconds: integerOf(values, 'settle-after-seconds'),
    magic_amounts: magic && magic === 'on',
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const rowsOf = (settings: SandboxSettings): string =>
  columns([
    ['bank', settings.bank],
    ['settle after seconds', String(settings.settle_after_seconds)],
    ['magic amounts', settings.magic_amounts ? 'on' : 'off'],
  ]);

export const settings: Command = {
  summary: 'show or change who completes your test contributions',
  help: `Usage: contribution-service-sdk settings [OPTIONS]

Shows the settings of your test environment. With options, it changes the settings that you pass,
and keeps the others.

  --bank NAME                simulated: the built-in bank completes your contributions
                             linked: a bank that the operator linked. none: you complete them
  --settle-after-seconds N   delay of the simulated bank, at most 3600
  --magic-amounts on|off     whether the cents of an amount, such as .41, select what
                             the simulated bank does`,
  options: {
    bank: { type: 'string' },
    'settle-after-seconds': { type: 'string' },
    'magic-amounts': { type: 'string' },
  },
  worksInProduction: false,
  left: 'The settings were changed. "settings" shows them, and sets them back.',
  async run(context) {
    if (context.positionals.length > 0)
      throw new UsageError('This command takes no arguments, only options.');
    const changes = changesOf(context);
    const { sandbox } = context.client();
    const current = await sandbox.retrieveSettings();
    const changed = Object.keys(changes).length > 0;
    const result = changed
      ? await sandbox.replaceSettings({ ...(current as SetSandboxSettingsBody), ...changes })
      : current;
    context.print(result, rowsOf(result));
    return 0;
  },
};
