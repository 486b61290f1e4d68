import { styleText } from 'node:util';

/** Headings are bold, problems red and warnings yellow. */
export type Style = 'bold' | 'red' | 'yellow';

export type Stream = Pick<NodeJS.WriteStream, 'isTTY'>;

/** Only a terminal gets color, and not when NO_COLOR has a value (https://no-color.org). */
export const hasColor = (
  stream: Stream,
  { NO_COLOR: noColor = '', TERM: terminal }: NodeJS.ProcessEnv,
): boolean => stream.isTTY && noColor === '' && terminal !== 'dumb';

/**
 * The decision is the caller's, so node's own, which looks at standard output only, is left out.
 */
export const apply = (style: Style, text: string): string =>
  styleText(style, text, { validateStream: false });
