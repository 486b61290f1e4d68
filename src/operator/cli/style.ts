import { styleText } from 'node:util';

/** Headings are bold, problems red and warnings yellow. */
export type Style = 'bold' | 'red' | 'yellow';

export type Stream = Pick<NodeJS.WriteStream, 'isTTY'>;

/** Only a terminal shows color, unless NO_COLOR has a value (https://no-color.org). */
export const hasColor = (
  stream: Stream,
  { NO_COLOR: noColor = '', TERM: terminal }: NodeJS.ProcessEnv,
): boolean => stream.isTTY && noColor === '' && terminal !== 'dumb';

/** Always applies the style. The caller decides, because Node would check only standard output. */
export const apply = (style: Style, text: string): string =>
  styleText(style, text, { validateStream: false });
