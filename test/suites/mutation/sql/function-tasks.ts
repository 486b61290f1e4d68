import { type DatabaseFunction, type Embedded, embeddedIn } from '../../../support/database-functions';
import type { Recording } from './assignment';
import { type Mutant, mutantsOf } from './mutants';
import { filesThat } from './recordings';
import { isNode, parse, show, unwrap, write } from './syntax-tree';
import type { Task } from './task';

const expressionPrefix = /^SELECT\s+/;

/** The only expression of a SELECT, without the SELECT. */
const withoutSelect = (text: string): string => write(parse(text)).replace(expressionPrefix, '');

/** Mutants of a whole statement: it is removed, or it locks nothing. */
function mutantsOfWhole(text: string): Mutant[] {
  const statement = parse(text);
  const [type, content] = Object.entries(statement)[0] ?? [];
  if (type === undefined || !isNode(content)) return [];
  if (type !== 'SelectStmt') {
    const about = show({ RangeVar: content['relation'] ?? {} });
    return [
      { key: `${type.replace('Stmt', '').toLowerCase()} ${about} is gone`, kind: 'effect', text: 'NULL' },
    ];
  }
  const { lockingClause, ...rest } = unwrap(statement, 'SelectStmt') ?? {};
  if (lockingClause === undefined) return [];
  const key = `${show(lockingClause)} locks nothing`;
  return [{ key, kind: 'lock', text: write({ SelectStmt: rest }) }];
}

/** The mutants of one statement or expression, each with the text that replaces it. */
function mutantsOfEmbedded({ kind, text, variable }: Embedded): Mutant[] {
  if (kind === 'statement') return [...mutantsOf(text), ...mutantsOfWhole(text)];
  if (kind === 'result') return [];
  const about = withoutSelect(`SELECT ${text}`).replace(/\s+/g, ' ');
  const inner = mutantsOf(`SELECT ${text}`)
    .filter(({ kind: ofMutant }) => ofMutant !== 'result')
    .map((mutant) => ({ ...mutant, text: mutant.text.replace(expressionPrefix, '') }));
  const prefix = kind === 'condition' ? 'IF' : `${variable} :=`;
  const isDecision = kind === 'condition' || mutantsOf(`SELECT ${text}`).some((one) => one.kind === 'result');
  const whole: Mutant[] = isDecision
    ? [
        { key: 'is true always', kind: 'result', text: `(${about}) IS NOT NULL OR true` },
        { key: 'is false always', kind: 'result', text: `(${about}) IS NULL AND false` },
      ]
    : [];
  return [
    ...inner.map((one) => ({ ...one, key: `${prefix} ${about}: ${one.key}` })),
    ...whole.map((one) => ({ ...one, key: `${prefix} ${about} ${one.key}` })),
  ].map((mutant) => (kind === 'assignment' ? { ...mutant, text: `${variable} := ${mutant.text}` } : mutant));
}

/** Replaces a statement, with its INTO, or an expression of a function. */
function changed({ definition }: DatabaseFunction, embedded: Embedded, text: string): string {
  const before = definition.slice(0, embedded.start);
  const isPerformed = definition.startsWith('PERFORM', embedded.start);
  // The INTO of a removed INSERT or UPDATE must be removed as well.
  const end = text === 'NULL' ? definition.indexOf(';', embedded.end) : embedded.end;
  return before + (isPerformed ? text.replace(/^SELECT/, 'PERFORM') : text) + definition.slice(end);
}

const callOf = (name: string): RegExp => new RegExp(`\\b${name}\\(`);

/** The names of a function and of those that call it, directly or not. */
function callersOf(name: string, functions: readonly DatabaseFunction[]): Set<string> {
  const names = new Set([name]);
  for (let size = 0; size < names.size;) {
    size = names.size;
    for (const one of functions) {
      if ([...names].some((called) => callOf(called).test(one.definition))) names.add(one.name);
    }
  }
  return names;
}

/** The mutants of the functions, with the test files that run a statement that calls them. */
export function functionTasks(
  functions: readonly DatabaseFunction[],
  recordings: readonly Recording[],
): Task[] {
  return functions.flatMap((one) => {
    const callers = [...callersOf(one.name, functions)];
    const files = filesThat(recordings, (text) => callers.some((name) => callOf(name).test(text)));
    const counts = new Map<string, number>();
    return embeddedIn(one).flatMap((embedded) =>
      mutantsOfEmbedded(embedded).map(({ key, kind, text }) => {
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        return {
          subject: `function ${one.name}`,
          key: count === 1 ? key : `${key} (${count})`,
          kind,
          assignment: { do: 'nothing' as const },
          schemaChange: changed(one, embedded, text),
          files,
        };
      }),
    );
  });
}
