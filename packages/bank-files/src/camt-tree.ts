import { SaxesParser } from 'saxes';

import { fileLimits } from './file-limits';
import { StatementFileRefused } from './statement-file-refused';

/** One element. `text` is trimmed and cut to the limit. */
export interface CamtNode {
  /** Empty if the element is not in the namespace of the statement. */
  name: string;
  line: number;
  currency: string | undefined;
  text: string;
  children: CamtNode[];
}

export interface CamtEvents {
  /** Returns whether the children of this element are records. */
  open(name: string, namespace: string, line: number): boolean;
  /** Called for a complete inner element. Returns whether to keep it in its record. */
  inner(node: CamtNode): boolean;
  record(node: CamtNode): void;
}

/** Receives a file in chunks of text. */
export interface XmlInput {
  write: (text: string) => void;
  close: () => void;
}

/**
 * Streams XML and builds one small tree per record, so that memory does not grow with the file.
 * Rejects document types, so no file can define entities.
 */
export function openCamtTree(events: CamtEvents): XmlInput {
  const parser = new SaxesParser({ xmlns: true });
  const open: CamtNode[] = [];
  let depth = 0;
  let recordsDepth: number | undefined;
  let recordsNamespace = '';
  /** The number of elements in the current record, now and before each open element. */
  let nodes = 0;
  const nodesBefore: number[] = [];
  /** The number of attributes of the element that is being read. */
  let attributesRead = 0;
  const refuse = (message: string): never => {
    throw new StatementFileRefused(`Line ${parser.line}: ${message}`);
  };
  const addText = (more: string): void => {
    const node = open.at(-1);
    if (node && node.text.length < fileLimits.textLength) {
      node.text = (node.text + more).slice(0, fileLimits.textLength);
    }
  };
  parser.on('error', () => refuse('The XML is not well-formed.'));
  parser.on('doctype', () => refuse('Document type declarations are not accepted.'));
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('attribute', () => {
    attributesRead += 1;
    if (attributesRead > fileLimits.attributes) refuse('The element has too many attributes.');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    attributesRead = 0;
    depth += 1;
    if (depth > fileLimits.depth) refuse(`Elements are nested deeper than ${fileLimits.depth}.`);
    if (recordsDepth === undefined) {
      if (!events.open(local, uri, parser.line)) return;
      recordsDepth = depth;
      recordsNamespace = uri;
      return;
    }
    nodesBefore.push(nodes);
    nodes += 1;
    if (nodes > fileLimits.nodesPerEntry) refuse('The entry has too many elements.');
    const node: CamtNode = {
      name: uri === recordsNamespace ? local : '',
      line: parser.line,
      currency: attributes['Ccy']?.value,
      text: '',
      children: [],
    };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on('closetag', () => {
    const node = open.pop();
    if (node) {
      const before = nodesBefore.pop() ?? 0;
      node.text = node.text.trim();
      if (open.length === 0) {
        events.record(node);
        nodes = 0;
      } else if (!events.inner(node)) {
        open.at(-1)?.children.pop();
        nodes = before;
      }
    } else if (depth === recordsDepth) recordsDepth = undefined;
    depth -= 1;
  });
  return {
    write: (text) => void parser.write(text),
    close: () => void parser.close(),
  };
}

/** The first element at the path below this one. */
export function child(node: CamtNode | undefined, ...path: string[]): CamtNode | undefined {
  return path.reduce<CamtNode | undefined>(
    (parent, name) => parent?.children.find((element) => element.name === name),
    node,
  );
}

/** All elements at the path below this one. */
export const descendants = (node: CamtNode, ...path: string[]): CamtNode[] =>
  path.reduce<CamtNode[]>(
    (parents, name) => parents.flatMap(({ children }) => children.filter((element) => element.name === name)),
    [node],
  );
