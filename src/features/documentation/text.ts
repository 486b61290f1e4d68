import { type Markup, markup } from '../../shared/markup';

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** The text of a part of a page, without markup. */
export const plainText = (html: string): string =>
  html
    .replace(/<\/?(?:a|b|code|em|strong|wbr)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_whole, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();

/** Text that may break after a dot in a name, and before a slash in a path. */
export const breakable = (text: string): Markup =>
  markup`${text.split(/(?<=\w\.)(?=\w)|(?<=[\w}])(?=\/)/).map((part, index) => markup`${index > 0 ? markup`<wbr>` : undefined}${part}`)}`;

/** Search engines show about this much of a description. */
const mostCharacters = 160;

/** The first sentences of a page, for search engines and previews of links. */
export function descriptionOf({ text }: Markup): string {
  const [, first = ''] = /<p>(.*?)<\/p>/s.exec(text) ?? [];
  let description = '';
  for (const sentence of plainText(first).split(/(?<=\.) /)) {
    if (description.length + sentence.length >= mostCharacters) break;
    description += ` ${sentence}`;
  }
  return description.trim();
}
