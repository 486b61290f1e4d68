const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags or in a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/** HTML that is ready. Whatever is not of this class is text, and is escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | undefined | readonly Part[];

function write(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(write).join('') : escapeText(String(part));
}

/** A template of HTML: what is put in is escaped unless it is markup itself; lists are joined, `undefined` is nothing. */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(texts.map((text, index) => text + write(parts[index])).join(''));
}

/** Text in which `code` stands between backticks, as the descriptions of the contracts have it. */
export function withCode(text: string): Markup {
  return new Markup(escapeText(text).replace(/`([^`]+)`/g, '<code>$1</code>'));
}
