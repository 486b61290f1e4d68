/** Text in which a semicolon does not end a query: quoted text, dollar quotes and comments. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//;
const token = new RegExp(`${opaque.source}|;`, 'g');
const comment = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Splits a text of several SQL statements. It does not know strings with backslash escapes
 * (`E'\''`) and nested comments, which no migration has.
 *
 * @returns the queries without their semicolons; none for empty queries and lone comments
 */
export function splitSql(text: string): string[] {
  const queries: string[] = [];
  let start = 0;
  for (const match of text.matchAll(token)) {
    if (match[0] !== ';') continue;
    queries.push(text.slice(start, match.index));
    start = match.index + 1;
  }
  queries.push(text.slice(start));
  return queries.filter((query) => query.replace(comment, '').trim() !== '');
}
