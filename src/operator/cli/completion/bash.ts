import { type Candidates, type CompletedCommand, withDescendants } from './command-tree';

const quote = (text: string): string => `'${text}'`;

/** Assigns the candidates of one position to `words` or `files`. */
const offer = ({ choices, isFile }: Candidates): string =>
  isFile ? 'files=yes' : `words=${quote(choices.join(' '))}`;

const cases = (lines: readonly (readonly [pattern: string, body: string])[]): string =>
  lines.map(([pattern, body]) => `      ${quote(pattern)}) ${body} ;;`).join('\n');

const alternatives = (keys: readonly string[]): string => keys.map(quote).join(' | ');

/** An option with a value. The key is its command and its flag, such as "keys issue --scope". */
interface ValuedOption {
  key: string;
  value: Candidates;
  isVariadic: boolean;
}

/** Candidates by position. The key is the command and the number of arguments before it. */
function positionsOf(command: CompletedCommand): (readonly [key: string, body: string])[] {
  if (command.commands.length > 0) {
    const names = command.commands.map(({ name }) => name);
    return [[`${command.path} 0`, offer({ choices: names, isFile: false })]];
  }
  return command.arguments.map((argument, index) => [`${command.path} ${index}`, offer(argument)]);
}

/** Sets `command`, `option` and `count` from the words before the cursor. */
const readWords = (commands: readonly CompletedCommand[], valued: readonly ValuedOption[]): string => `\
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == [=:] || \${COMP_WORDS[index - 1]} == ':' ]] && continue
    if [[ $word == -* ]]; then
      option=''
      case "$command $word" in
      ${alternatives(valued.map(({ key }) => key))}) option="$command $word" ;;
      esac
      continue
    fi
    case $option in
      '') ;;
      ${alternatives(valued.filter(({ isVariadic }) => isVariadic).map(({ key }) => key))}) continue ;;
      *) option='' && continue ;;
    esac
    case "\${command:+$command }$word" in
      ${alternatives(commands.map(({ path }) => path).filter(Boolean))}) command="\${command:+$command }$word" ;;
      *) count=$((count + 1)) ;;
    esac
  done`;

/** Sets `words` or `files` to the candidates at the cursor. */
const chooseCandidates = (
  commands: readonly CompletedCommand[],
  valued: readonly ValuedOption[],
): string => `\
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
${cases(commands.flatMap(positionsOf))}
    esac
  fi`;

/** Runs in Bash 3.2, the version of macOS. */
export function bashCompletion(program: CompletedCommand): string {
  const commands = withDescendants(program);
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value, isVariadic }) =>
      value === undefined ? [] : flags.map((flag) => ({ key: `${path} ${flag}`, value, isVariadic })),
    ),
  );
  return `# Completion of contribution-service in Bash: source <(bin/contribution-service completion bash)
_contribution_service() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' option='' words='' files='' before='' count=0 index word
  # Bash splits words at "=" and ":" and makes each of the two a separate word.
  [[ $current == '=' ]] && current=''
  if [[ $current == ':' ]]; then
    before="\${COMP_WORDS[COMP_CWORD - 1]}:"
    current=''
  elif [[ \${COMP_WORDS[COMP_CWORD - 1]} == ':' ]]; then
    before="\${COMP_WORDS[COMP_CWORD - 2]}:"
  fi
${readWords(commands, valued)}
${chooseCandidates(commands, valued)}
  COMPREPLY=()
  # compopt fails when no completion is running, for example in a test.
  [[ -n $files ]] && compopt -o filenames 2>/dev/null
  while IFS= read -r word; do
    COMPREPLY+=("\${word#"$before"}")
  done < <(if [[ -n $files ]]; then compgen -f -- "$current"; else compgen -W "$words" -- "$before$current"; fi)
}
complete -F _contribution_service contribution-service`;
}
