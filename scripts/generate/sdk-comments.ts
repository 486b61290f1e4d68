import ts from 'typescript';

import type { SdkComment } from '../../src/features/documentation/sdk-reference/sdk-document';

/** Joins the lines of each paragraph and of each bullet. */
const unwrapped = (text: string): string => text.trim().replace(/(?<!\n)\n(?!\n|- )[ ]*/g, ' ');

const commentText = (tag: { comment?: ts.JSDoc['comment'] }): string =>
  ts.getTextOfJSDocComment(tag.comment) ?? '';

const docOf = (node: ts.Node): ts.JSDoc | undefined => {
  // The comment of a constant belongs to its statement.
  const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return ts.getJSDocCommentsAndTags(owner).findLast(ts.isJSDoc);
};

/** The comment of a declaration. Its parts are empty if there is none. */
export function commentOf(node: ts.Node): SdkComment {
  const doc = docOf(node);
  const tagged = (name: string): string[] =>
    (doc?.tags ?? []).filter(({ tagName }) => tagName.text === name).map(commentText);
  return {
    description: unwrapped(doc ? commentText(doc) : ''),
    throws: tagged('throws').map(unwrapped),
    examples: tagged('example').map((example) => example.trim()),
  };
}

/** A short description, such as that of a parameter, with the ends of a sentence. */
export const asSentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** What the comment of a function says about a parameter. */
export const parameterComment = (parameter: ts.ParameterDeclaration): string =>
  asSentence(unwrapped(ts.getJSDocParameterTags(parameter).map(commentText).join(' ')));
