import {
  findNodeAtLocation,
  type Node,
  parse,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

import type { ImportProblem, RawRecord } from './catalogue';

type Path = (string | number)[];

/** Returns a function that maps an offset in the text to its line, from 1. */
function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface JsonRecords {
  records: RawRecord[];
  /** The records inside other records, from the member `nested`. */
  nestedRecords: RawRecord[];
  problems: ImportProblem[];
}

function readSyntaxErrors(text: string, lineAt: (offset: number) => number): ImportProblem[] {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  return errors.map(({ error, offset }) => ({
    line: lineAt(offset),
    field: null,
    message: `is not valid JSON: ${printParseErrorCode(error)}`,
  }));
}

/**
 * Reads a JSON file: a list of records, or an object with the list in the member `name`.
 *
 * @param nested a member of each record with a list of other records, such as a project's stories.
 *   `parentOf` returns the members that they inherit from the outer record.
 */
export function readJson(
  text: string,
  name: string,
  nested?: { name: string; parentOf: (values: Record<string, unknown>) => Record<string, unknown> },
): JsonRecords {
  const lineAt = createLineFinder(text);
  const none = (line: number, message: string): JsonRecords => ({
    records: [],
    nestedRecords: [],
    problems: [{ line, field: null, message }],
  });
  let root: unknown;
  try {
    root = JSON.parse(text) as unknown;
  } catch {
    const problems = readSyntaxErrors(text, lineAt);
    return problems.length > 0 ? { records: [], nestedRecords: [], problems } : none(1, 'is not valid JSON');
  }
  const rootPath: Path = isObject(root) ? [name] : [];
  const list = isObject(root) ? root[name] : root;
  if (!Array.isArray(list)) return none(1, `must be a list, or an object with a list named "${name}"`);

  // Only problems need line numbers, and the tree of a large file takes much memory.
  let tree: Node | undefined;
  const lineOfPath = (path: Path): number => {
    tree ??= parseTree(text, [], { disallowComments: true });
    const node = tree && findNodeAtLocation(tree, path);
    // Reports a member at the line of its name.
    return lineAt((node?.parent?.type === 'property' ? node.parent : node)?.offset ?? 0);
  };

  const result: JsonRecords = { records: [], nestedRecords: [], problems: [] };
  function add(records: RawRecord[], element: unknown, path: Path, more: Record<string, unknown> = {}): void {
    if (!isObject(element)) {
      result.problems.push({ line: lineOfPath(path), field: null, message: 'must be an object' });
      return;
    }
    const values = { ...element, ...more };
    records.push({
      values,
      lineOf: (field) => lineOfPath(field !== undefined && field in element ? [...path, field] : path),
    });
  }
  for (const [index, element] of list.entries()) {
    const path = [...rootPath, index];
    if (!nested || !isObject(element)) {
      add(result.records, element, path);
      continue;
    }
    const { [nested.name]: children = [], ...values } = element;
    add(result.records, values, path);
    if (Array.isArray(children)) {
      for (const [childIndex, child] of children.entries()) {
        add(result.nestedRecords, child, [...path, nested.name, childIndex], nested.parentOf(values));
      }
    } else {
      result.problems.push({
        line: lineOfPath([...path, nested.name]),
        field: nested.name,
        message: 'must be a list',
      });
    }
  }
  return result;
}
