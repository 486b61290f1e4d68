import {
  type Candidates,
  type CompletedCommand,
  type CompletedOption,
  withDescendants,
} from './command-tree';

const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const at = (path: string, position?: number): string =>
  quote(`__contribution_service_at "${path}"${position === undefined ? '' : ` ${position}`}`);

const line = (...parts: readonly string[]): string =>
  ['complete -c contribution-service', ...parts].filter(Boolean).join(' ');

const offer = ({ choices, isFile }: Candidates): string =>
  isFile ? '-F' : choices.length > 0 ? `-a ${quote(choices.join(' '))}` : '';

/** -x requires a value that is not a file; -r requires any value. */
const valueOf = (value: Candidates | undefined): string =>
  value === undefined ? '' : `${value.isFile ? '-r' : '-x'} ${offer(value)}`.trim();

const optionLine = (path: string, { flags, description, value }: CompletedOption): string =>
  line(
    '-n',
    at(path),
    ...flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
    valueOf(value),
    '-d',
    quote(description),
  );

const linesFor = ({ path, options, commands, arguments: positions }: CompletedCommand): string[] => [
  ...commands.map(({ name, description }) => line('-n', at(path, 0), '-a', name, '-d', quote(description))),
  ...positions.flatMap((argument, index) => {
    const candidates = offer(argument);
    return candidates === '' ? [] : [line('-n', at(path, index), candidates)];
  }),
  ...options.map((option) => optionLine(path, option)),
];

export function fishCompletion(program: CompletedCommand): string {
  const commands = withDescendants(program);
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === undefined ? [] : flags.map((flag) => `${path} ${flag}`),
    ),
  );
  return `# Completion of contribution-service in fish: bin/contribution-service completion fish | source
function __contribution_service_at --description 'Whether the cursor is in this command, after this many arguments'
    set -l command ''
    set -l count 0
    set -l awaits_value no
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $awaits_value = yes
            set awaits_value no
            continue
        end
        if string match -q -- '-*' $word
            contains -- "$command $word" ${valued.map(quote).join(' ')}
            and set awaits_value yes
            continue
        end
        set -l longer (string trim -- "$command $word")
        if contains -- $longer ${commands
          .filter(({ path }) => path !== '')
          .map(({ path }) => quote(path))
          .join(' ')}
            set command $longer
        else
            set count (math $count + 1)
        end
    end
    test "$command" = "$argv[1]"
    and test (count $argv) -lt 2 -o "$argv[2]" = "$count"
end
${line('-f')}
${commands.flatMap(linesFor).join('\n')}`;
}
