import { Command } from 'commander';

import type { CommandIo } from '../../../operator/cli/command-io';
import { checkCommand } from './statement-check.command';
import { daysCommand } from './statement-days.command';
import { importCommand } from './statement-import.command';
import { listCommand, showCommand, voidCommand } from './statement-files.command';

export function statementsCommand(io: CommandIo): Command {
  return new Command('statements')
    .description('read, import, show, void and check bank statements')
    .addCommand(checkCommand(io))
    .addCommand(importCommand(io))
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(voidCommand(io))
    .addCommand(daysCommand(io));
}
