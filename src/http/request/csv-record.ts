/**
 * Parses one line of CSV (RFC 4180). A general parser would continue a quoted cell in the next
 * line, so one wrong quotation mark would swallow completions.
 *
 * @returns the cells; undefined if the quotation marks do not match
 */
export function parseCsvRecord(line: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    if (line[at] === '"') {
      const cell = readQuoted(line, at + 1);
      if (!cell) return undefined;
      cells.push(cell.text);
      at = cell.end;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      const text = line.slice(at, end);
      if (text.includes('"')) return undefined;
      cells.push(text);
      at = end;
    }
    if (at >= line.length) return cells;
    if (line[at] !== ',') return undefined;
  }
}

/** Reads to the quotation mark that ends a cell. Two of them stand for one. */
function readQuoted(line: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let at = start; ;) {
    const quote = line.indexOf('"', at);
    if (quote < 0) return undefined;
    text += line.slice(at, quote);
    if (line[quote + 1] !== '"') return { text, end: quote + 1 };
    text += '"';
    at = quote + 2;
  }
}
