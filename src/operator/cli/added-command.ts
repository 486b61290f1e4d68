import type { Command } from 'commander';

import type { CommandIo } from './command-io';

/** A command that a feature adds. */
export interface AddedCommand {
  /** The top-level command that it belongs to; undefined if it is one itself. */
  readonly under?: string;
  /** The command that follows it in --help: one of the core, or of an earlier feature. */
  readonly before: string;
  readonly create: (io: CommandIo) => Command;
}

function placeOf(name: string, commands: readonly Command[]): number {
  const place = commands.findIndex((command) => command.name() === name);
  if (place === -1) throw new Error(`there is no command ${name}`);
  return place;
}

export function addCommand(program: Command, io: CommandIo, { under, before, create }: AddedCommand): void {
  const parent = under === undefined ? program : program.commands[placeOf(under, program.commands)];
  const commands = parent?.addCommand(create(io)).commands as Command[];
  commands.splice(placeOf(before, commands), 0, ...commands.splice(-1));
}
