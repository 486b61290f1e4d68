import { styleText } from 'node:util';

import type { CommandIo, Output } from './command-io';

/** Headings are bold, problems red and warnings yellow. */
export type Style = 'bold' | 'red' | 'yellow';

/** Only a terminal shows color, unless NO_COLOR has a value (https://no-color.org). */
export const hasColor = (
  { isTTY = false }: Pick<Output, 'isTTY'>,
  { NO_COLOR: noColor = '', TERM: terminal }: CommandIo['environment'],
): boolean => isTTY && noColor === '' && terminal !== 'dumb';

/** Always applies the style. The caller decides, because Node would check only standard output. */
export const apply = (style: Style, text: string): string =>
  styleText(style, text, { validateStream: false });
