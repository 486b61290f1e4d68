import { limitNumber } from './file-limits';

/**
 * Yields the lines of a text with their numbers one by one, because a list would take much memory.
 *
 * @throws StatementFileRefused if there are too many
 */
export function* linesOf(text: string): Generator<{ line: number; raw: string }, void> {
  const newline = /\r\n|[\r\n]/g;
  for (let line = 1, start = 0; ; line += 1) {
    limitNumber('lines', line);
    newline.lastIndex = start;
    const found = newline.exec(text);
    yield { line, raw: text.slice(start, found?.index) };
    if (!found) return;
    start = newline.lastIndex;
  }
}
