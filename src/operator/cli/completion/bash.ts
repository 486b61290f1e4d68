import { type Candidates, type CompletedCommand, withDescendants } from './command-tree';

const quote = (text: string): string => `'${text}'`;

/** Sets what is offered in one place. */
const offer = ({ choices, isFile }: Candidates): string =>
  isFile ? 'files=yes' : `words=${quote(choices.join(' '))}`;

const cases = (lines: readonly (readonly [pattern: string, body: string])[]): string =>
  lines.map(([pattern, body]) => `      ${quote(pattern)}) ${body} ;;`).join('\n');

/** Runs in Bash 3.2, which macOS has. */
export function bashCompletion(program: CompletedCommand): string {
  const commands = withDescendants(program);
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value, isVariadic }) =>
      value === undefined ? [] : flags.map((flag) => ({ key: `${path} ${flag}`, value, isVariadic })),
    ),
  );
  const variadic = valued.filter(({ isVariadic }) => isVariadic);
  const positions = commands.flatMap((command) =>
    command.commands.length > 0
      ? [
          [
            `${command.path} 0`,
            offer({ choices: command.commands.map(({ name }) => name), isFile: false }),
          ] as const,
        ]
      : command.arguments.map((argument, index) => [`${command.path} ${index}`, offer(argument)] as const),
  );
  return `# Completion of contribution-service in Bash: source <(bin/contribution-service completion bash)
_contribution_service() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' option='' words='' files='' before='' count=0 index word
  # Bash takes words apart at "=" and ":", which are words of their own.
  [[ $current == '=' ]] && current=''
  if [[ $current == ':' ]]; then
    before="\${COMP_WORDS[COMP_CWORD - 1]}:"
    current=''
  elif [[ \${COMP_WORDS[COMP_CWORD - 1]} == ':' ]]; then
    before="\${COMP_WORDS[COMP_CWORD - 2]}:"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == [=:] || \${COMP_WORDS[index - 1]} == ':' ]] && continue
    if [[ $word == -* ]]; then
      option=''
      case "$command $word" in
      ${valued.map(({ key }) => quote(key)).join(' | ')}) option="$command $word" ;;
      esac
      continue
    fi
    case $option in
      '') ;;
      ${variadic.map(({ key }) => quote(key)).join(' | ')}) continue ;;
      *) option='' && continue ;;
    esac
    case "\${command:+$command }$word" in
      ${commands
        .filter(({ path }) => path !== '')
        .map(({ path }) => quote(path))
        .join(' | ')}) command="\${command:+$command }$word" ;;
      *) count=$((count + 1)) ;;
    esac
  done
  if [[ $current == -* ]]; then
    case $command in
${cases(commands.map(({ path, options }) => [path, `words=${quote(options.flatMap(({ flags }) => flags).join(' '))}`]))}
    esac
  elif [[ -n $option ]]; then
    case $option in
${cases(valued.map(({ key, value }) => [key, offer(value)]))}
    esac
  else
    case "$command $count" in
${cases(positions)}
    esac
  fi
  COMPREPLY=()
  # Only a shell that completes at this moment has options to set.
  [[ -n $files ]] && compopt -o filenames 2>/dev/null
  while IFS= read -r word; do
    COMPREPLY+=("\${word#"$before"}")
  done < <(if [[ -n $files ]]; then compgen -f -- "$current"; else compgen -W "$words" -- "$before$current"; fi)
}
complete -F _contribution_service contribution-service`;
}
