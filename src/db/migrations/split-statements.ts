/** Text in which a semicolon does not end a statement: quoted text, dollar quotes and comments. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//;
const token = new RegExp(`${opaque.source}|;`, 'g');
const comment = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Splits a text of several SQL statements. It does not know strings with backslash escapes
 * (`E'\''`) and nested comments, which no migration has.
 *
 * @returns the statements without their semicolons; none for empty statements and lone comments
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const match of text.matchAll(token)) {
    if (match[0] !== ';') continue;
    statements.push(text.slice(start, match.index));
    start = match.index + 1;
  }
  statements.push(text.slice(start));
  return statements.filter((statement) => statement.replace(comment, '').trim() !== '');
}
