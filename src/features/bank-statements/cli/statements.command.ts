import { Command } from 'commander';

import type { CommandIo } from '../../../operator/cli/command-io';
import { checkCommand } from './statement-check.command';
import { daysCommand, questionsCommand } from './statement-days.command';
import { entriesCommand } from './statement-entries.command';
import { listCommand, showCommand, voidCommand } from './statement-files.command';
import { importCommand } from './statement-import.command';

export function statementsCommand(io: CommandIo): Command {
  return new Command('statements')
    .description('import bank statements, and show what they cover and what is open')
    .addCommand(checkCommand(io))
    .addCommand(importCommand(io))
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(voidCommand(io))
    .addCommand(daysCommand(io))
    .addCommand(questionsCommand(io))
    .addCommand(entriesCommand(io));
}
