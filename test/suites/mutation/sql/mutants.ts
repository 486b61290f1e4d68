import { type Mutation, mutationsOf, type Position } from './mutations';
import { isNode, type Node, parse, type Part, type Place, replaced, show, write } from './syntax-tree';

export { loadModule as loadParser } from 'pgsql-parser';

/** A faulty variant of a statement. */
export interface Mutant {
  /** Describes the place and the change. */
  key: string;
  kind: Mutation['kind'];
  /** The whole statement with the change. */
  text: string;
}

interface Found {
  mutation: Mutation;
  /** The enclosing WITH parts, result columns and kinds of subquery. */
  inside: readonly string[];
  place: Place;
}

type Context = Omit<Position, 'part'>;

/** The node types that their nodes do not contain, by member name. */
const typesByMember: Readonly<Record<string, string>> = { larg: 'SelectStmt', rarg: 'SelectStmt' };

/** The name of a node in the keys of the mutants inside it. */
function nameOf(type: string, node: Node): string | undefined {
  const members: Record<string, string> = {
    CommonTableExpr: 'ctename',
    ResTarget: 'name',
    SubLink: 'subLinkType',
  };
  const name = node[members[type] ?? ''];
  return typeof name === 'string' ? name.replace(/_SUBLINK$/, '') : undefined;
}

function* mutationsIn(
  part: Part,
  around: Context,
  inside: readonly string[],
  place: Place,
): Generator<Found> {
  if (Array.isArray(part)) {
    for (const [index, element] of part.entries()) {
      yield* mutationsIn(element, around, inside, [...place, index]);
    }
    return;
  }
  if (!isNode(part)) return;
  for (const mutation of mutationsOf({ part, ...around })) yield { mutation, inside, place };

  const [first = '', content] = Object.entries(part)[0] ?? [];
  const carriesType = /^[A-Z]/.test(first) && isNode(content);
  const holder = carriesType ? content : part;
  const type = carriesType ? first : (typesByMember[around.member] ?? around.member);
  const name = nameOf(type, holder);
  for (const [member, inner] of Object.entries(holder)) {
    yield* mutationsIn(
      inner,
      { member, type, holder },
      name === undefined ? inside : [...inside, name],
      carriesType ? [...place, first, member] : [...place, member],
    );
  }
}

function* allIn(statement: Node): Generator<Found> {
  yield* mutationsIn(statement, { member: '', type: '', holder: statement }, [], []);
}

const keyOf = ({ mutation, inside }: Found): string =>
  `${inside.length > 0 ? `${inside.join(' › ')}: ` : ''}${show(mutation.about)} ${mutation.change}`;

/** The statement without a mutant, as serialized by this tool. */
export function rewritten(sql: string): string {
  return write(parse(sql));
}

/** Every mutant of a prepared statement. Equal descriptions are numbered. */
export function mutantsOf(sql: string): Mutant[] {
  const statement = parse(sql);
  const counts = new Map<string, number>();
  return [...allIn(statement)].map((found) => {
    const key = keyOf(found);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const text = write(replaced(statement, found.place, found.mutation.replacement));
    return { key: count === 1 ? key : `${key} (${count})`, kind: found.mutation.kind, text };
  });
}

/**
 * The mutants of a text that is built per call. The same condition has the same key in each text,
 * regardless of parameter numbers. If it occurs twice in one text, both are changed.
 */
export function mutantsOfUnprepared(sql: string): Mutant[] {
  const statement = parse(sql);
  const mutants = new Map<string, Mutant>();
  for (const found of allIn(statement)) {
    // $1 is always the caller's environment, so it is not interchangeable.
    const key = keyOf(found).replace(/\$(?!1\b)\d+/g, '$n');
    const before = mutants.get(key);
    const tree = replaced(before ? parse(before.text) : statement, found.place, found.mutation.replacement);
    mutants.set(key, { key, kind: found.mutation.kind, text: write(tree) });
  }
  return [...mutants.values()];
}
