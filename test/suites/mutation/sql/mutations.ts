import { isNode, type Node, type Part, unwrap } from './syntax-tree';

/** One change of a statement that a test should detect. */
export interface Mutation {
  kind: 'condition' | 'alternative' | 'result' | 'conflict' | 'choice' | 'arm' | 'effect' | 'lock';
  /** A description of the change. */
  change: string;
  /** The changed part of the statement. */
  about: Part;
  /** Its replacement; undefined removes it. */
  replacement: Part | undefined;
}

/**
 * A part of a statement and where it is: in the member `member` of the node `holder`, which has
 * the type `type`.
 */
export interface Position {
  part: Part;
  member: string;
  type: string;
  holder: Node;
}

const constant = (value: boolean): Node => ({ A_Const: { boolval: value ? { boolval: true } : {} } });
const boolean = (operator: 'AND_EXPR' | 'OR_EXPR', args: Part[]): Node => ({
  BoolExpr: { boolop: operator, args },
});

// The part itself stays in the text, so that PostgreSQL can still infer the types of the parameters
// in it. The planner removes it.
const always = (part: Part): Node => boolean('OR_EXPR', [constant(true), part]);
const never = (part: Part): Node => boolean('AND_EXPR', [constant(false), part]);

const operatorOf = (part: Part): Part | undefined => unwrap(part, 'BoolExpr')?.['boolop'];

/**
 * A condition of WHERE, ON, FILTER, HAVING or CASE WHEN, or one operand of any AND, is always true.
 */
function conditions({ part, member, type, holder }: Position): Mutation[] {
  const isWhole =
    ['whereClause', 'quals', 'havingClause', 'agg_filter'].includes(member) ||
    (type === 'CaseWhen' && member === 'expr');
  const isConjunct = type === 'BoolExpr' && holder['boolop'] === 'AND_EXPR';
  if (isWhole ? operatorOf(part) === 'AND_EXPR' : !isConjunct) return [];
  // In ON CONFLICT (…) WHERE it is a part of the index specification.
  if (unwrap(part, 'A_Const') || type === 'infer') return [];
  return [{ kind: 'condition', change: 'is always true', about: part, replacement: always(part) }];
}

/** JOIN … USING becomes a cross join. */
function joins({ part }: Position): Mutation[] {
  const { usingClause, ...rest } = unwrap(part, 'JoinExpr') ?? {};
  if (usingClause === undefined) return [];
  const replacement = { JoinExpr: { ...rest, quals: constant(true) } };
  return [{ kind: 'condition', change: 'joins everything', about: usingClause, replacement }];
}

/** One operand of an OR is always false. */
function alternatives({ part, type, holder }: Position): Mutation[] {
  if (type !== 'BoolExpr' || holder['boolop'] !== 'OR_EXPR') return [];
  return [{ kind: 'alternative', change: 'is always false', about: part, replacement: never(part) }];
}

/** Whether the form of the expression shows that its value is true, false or null. */
function isPredicate(part: Part): boolean {
  const { kind, name } = unwrap(part, 'A_Expr') ?? {};
  return (
    operatorOf(part) !== undefined ||
    unwrap(part, 'NullTest') !== undefined ||
    unwrap(part, 'SubLink')?.['subLinkType'] === 'EXISTS_SUBLINK' ||
    kind === 'AEXPR_DISTINCT' ||
    kind === 'AEXPR_NOT_DISTINCT' ||
    (kind === 'AEXPR_OP' && /"sval":"(=|<>|<|>|<=|>=|<@|@>)"/.test(JSON.stringify(name)))
  );
}

/** A result column is always true, or always false. */
function resultColumns({ part, member, type }: Position): Mutation[] {
  if (type !== 'ResTarget' || member !== 'val' || !isPredicate(part)) return [];
  return [
    { kind: 'result', change: 'is true always', about: part, replacement: always(part) },
    { kind: 'result', change: 'is false always', about: part, replacement: never(part) },
  ];
}

/** ON CONFLICT is removed, loses its target, or does nothing instead of an update. */
function conflicts({ part, member }: Position): Mutation[] {
  if (member !== 'onConflictClause' || !isNode(part)) return [];
  const { infer, targetList, whereClause, ...rest } = part;
  const about: Part = isNode(infer) ? (infer['conname'] ?? 'ON CONFLICT (…)') : 'ON CONFLICT';
  const gone: Mutation = { kind: 'conflict', change: 'is gone', about, replacement: undefined };
  if (infer === undefined) return [gone];
  if (targetList === undefined && whereClause === undefined) {
    return [gone, { kind: 'conflict', change: 'has no target', about, replacement: rest }];
  }
  const replacement = { ...rest, infer, action: 'ONCONFLICT_NOTHING' };
  return [gone, { kind: 'conflict', change: 'updates nothing', about, replacement }];
}

/** GREATEST, LEAST or COALESCE always returns the same argument. */
function choices({ part }: Position): Mutation[] {
  const { args } = unwrap(part, 'MinMaxExpr') ?? unwrap(part, 'CoalesceExpr') ?? {};
  if (!Array.isArray(args)) return [];
  return args.map((_argument, index) => ({
    kind: 'choice',
    change: `is always its argument ${index + 1}`,
    about: part,
    replacement: args[index],
  }));
}

/** The same SELECT, UPDATE or DELETE without rows in any of its arms. */
function without(rows: Node): Node {
  const { whereClause, larg, rarg } = rows;
  if (isNode(larg) && isNode(rarg)) return { ...rows, larg: without(larg), rarg: without(rarg) };
  return { ...rows, whereClause: whereClause === undefined ? constant(false) : never(whereClause) };
}

/** An arm of a UNION has no rows. */
function arms({ part, member, type }: Position): Mutation[] {
  if (type !== 'SelectStmt' || (member !== 'larg' && member !== 'rarg') || !isNode(part)) return [];
  if (part['op'] !== 'SETOP_NONE') return [];
  return [{ kind: 'arm', change: 'has no rows', about: { SelectStmt: part }, replacement: without(part) }];
}

/** An INSERT, UPDATE or DELETE inside a statement changes nothing. */
function effects({ part, member }: Position): Mutation[] {
  if (member !== 'ctequery' || !isNode(part)) return [];
  const [type = '', statement] = Object.entries(part)[0] ?? [];
  if (!isNode(statement) || !['InsertStmt', 'UpdateStmt', 'DeleteStmt'].includes(type)) return [];
  const rows = unwrap(statement['selectStmt'], 'SelectStmt');
  // VALUES have no condition that could be false. A statement that starts with them does nothing
  // without them.
  if (rows?.['valuesLists'] !== undefined) return [];
  const changed = rows ? { ...statement, selectStmt: { SelectStmt: without(rows) } } : without(statement);
  const about = { RangeVar: statement['relation'] ?? {} };
  return [{ kind: 'effect', change: 'changes nothing', about, replacement: { [type]: changed } }];
}

/** FOR UPDATE, FOR KEY SHARE and similar clauses lock nothing. */
function locks({ part, member }: Position): Mutation[] {
  const select = member === 'ctequery' ? unwrap(part, 'SelectStmt') : undefined;
  if (select?.['lockingClause'] === undefined) return [];
  const { lockingClause, ...rest } = select;
  return [{ kind: 'lock', change: 'locks nothing', about: lockingClause, replacement: { SelectStmt: rest } }];
}

const rules = [conditions, joins, alternatives, resultColumns, conflicts, choices, arms, effects, locks];

/** Every known mutation of one part of a statement. */
export function mutationsOf(position: Position): Mutation[] {
  return rules.flatMap((rule) => rule(position));
}
