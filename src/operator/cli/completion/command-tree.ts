import type { Argument, Command, Option } from 'commander';

/**
 * The candidates of one argument or value: a list of words, or files. If both are absent, any text.
 */
export interface Candidates {
  choices: readonly string[];
  isFile: boolean;
}

export interface CompletedOption {
  /** The flags with dashes. The long flag is last. */
  flags: readonly string[];
  description: string;
  /** Absent for an option without a value. */
  value?: Candidates;
  /** Whether it takes all words up to the next option. */
  isVariadic: boolean;
}

export interface CompletedCommand {
  /** The path of the command, such as "keys issue". Empty for the program itself. */
  path: string;
  name: string;
  description: string;
  options: readonly CompletedOption[];
  arguments: readonly (Candidates & { name: string; isVariadic: boolean })[];
  commands: readonly CompletedCommand[];
}

/** The first clause, which fits in one line of a menu. */
const firstClause = (description: string): string => (/^.*?(?=[;:.] |$)/.exec(description) ?? [''])[0];

const candidatesOf = (choices: readonly string[] | undefined, valueName: string): Candidates => ({
  choices: choices ?? [],
  isFile: valueName === 'file',
});

function optionOf(option: Option): CompletedOption {
  const valueName = /[<[]([\w-]+)/.exec(option.flags)?.[1];
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: firstClause(option.description),
    ...(valueName === undefined ? {} : { value: candidatesOf(option.argChoices, valueName) }),
    isVariadic: option.variadic,
  };
}

const argumentOf = (argument: Argument): CompletedCommand['arguments'][number] => ({
  name: argument.name(),
  isVariadic: argument.variadic,
  ...candidatesOf(argument.argChoices, argument.name()),
});

/** The commands, options and arguments that help shows. */
export function commandTree(command: Command, path: readonly string[] = []): CompletedCommand {
  const help = command.createHelp();
  const visible = help.visibleCommands(command);
  const siblings = visible.map((each) => each.name()).filter((name) => name !== 'help');
  return {
    path: path.join(' '),
    name: command.name(),
    description: firstClause(command.description()),
    options: help.visibleOptions(command).map(optionOf),
    arguments: command.registeredArguments.map(argumentOf),
    commands: visible.map((each) => {
      const tree = commandTree(each, [...path, each.name()]);
      return each.name() === 'help'
        ? { ...tree, arguments: [{ name: 'command', isVariadic: false, isFile: false, choices: siblings }] }
        : tree;
    }),
  };
}

/** A command and all its descendants. */
export const withDescendants = (command: CompletedCommand): CompletedCommand[] => [
  command,
  ...command.commands.flatMap(withDescendants),
];
