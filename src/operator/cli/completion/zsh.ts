import {
  type Candidates,
  type CompletedCommand,
  type CompletedOption,
  withDescendants,
} from './command-tree';

const quote = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;
const escape = (text: string): string => text.replace(/[\\:[\]]/g, '\\$&');

const functionOf = (path: string): string =>
  ['_contribution-service', ...path.split(' ').filter(Boolean)].join('_');

/**
 * "{:}" has no candidates. An empty action would show a message, and Zsh would then not insert the
 * only matching option.
 */
const action = ({ choices, isFile }: Candidates): string =>
  isFile ? '_files' : choices.length > 0 ? `(${choices.map(escape).join(' ')})` : '{:}';

/** Specifications for _arguments. A star marks a repeatable option. */
const optionSpecs = ({ flags, description, value, isVariadic }: CompletedOption): string[] =>
  flags.map((flag) => {
    const repeatable = isVariadic ? '*' : '';
    const mode = value !== undefined && flag.startsWith('--') ? '=' : '';
    const suffix = value === undefined ? '' : `:value:${action(value)}`;
    return quote(`${repeatable}${flag}${mode}[${escape(description)}]${suffix}`);
  });

function functionFor(command: CompletedCommand): string {
  const options = command.options.flatMap(optionSpecs);
  if (command.commands.length === 0) {
    const positions = command.arguments.map((argument, index) =>
      quote(`${argument.isVariadic ? '*' : index + 1}:${argument.name}:${action(argument)}`),
    );
    return `${functionOf(command.path)}() {
  _arguments ${[...options, ...positions].join(' \\\n    ')}
}`;
  }
  const menu = command.commands.map(({ name, description }) => quote(`${name}:${escape(description)}`));
  const calls = command.commands.map(({ name, path }) => `    ${name}) ${functionOf(path)} ;;`);
  return `${functionOf(command.path)}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C ${[...options, quote('1: :->command'), quote('*:: :->arguments')].join(' \\\n    ')} && return
  case $state in
  command)
    local -a commands=(
      ${menu.join('\n      ')}
    )
    _describe -t commands command commands
    ;;
  arguments)
    case $line[1] in
${calls.join('\n')}
    esac
    ;;
  esac
}`;
}

export function zshCompletion(program: CompletedCommand): string {
  return `#compdef contribution-service
# Completion of contribution-service in Zsh, after compinit: source <(bin/contribution-service completion zsh)
${withDescendants(program).map(functionFor).join('\n')}
compdef ${functionOf('')} contribution-service`;
}
