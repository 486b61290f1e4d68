const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/** Safe HTML. A template escapes any other value as text. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | undefined | readonly Part[];

function write(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(write).join('') : escapeText(String(part));
}

/** An HTML template. It escapes values that are not markup, joins lists and omits `undefined`. */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(texts.map((text, index) => text + write(parts[index])).join(''));
}

/** Escapes text, and renders `code` between backticks as in the contracts' descriptions. */
export function withCode(text: string): Markup {
  return new Markup(escapeText(text).replace(/`([^`]+)`/g, '<code>$1</code>'));
}
