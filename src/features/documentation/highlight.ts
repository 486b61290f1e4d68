import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';

import { escapeText, Markup, markup } from '../../shared/markup';

highlighter.registerLanguage('py', python);
highlighter.registerLanguage('sh', bash);
highlighter.registerLanguage('shell', bash);
highlighter.registerLanguage('http', http);
highlighter.registerLanguage('json', json);
highlighter.registerLanguage('ts', typescript);
highlighter.registerLanguage('js', typescript);
highlighter.registerLanguage('javascript', typescript);
highlighter.registerLanguage('xml', xml);

/**
 * Marks each token of code with a class for the colors of the stylesheet. Code in an unknown
 * language is escaped, but not marked.
 *
 * @param language as after the three backticks of a guide
 */
export function highlighted(code: string, language: string): Markup {
  // A file in a shell sample has the colors of its own language.
  const [, before, file, after] = /^(.*<<'?XML'?\n)(.*)(^XML\b.*)$/ms.exec(code) ?? [];
  if (language === 'sh' && before !== undefined && file !== undefined && after !== undefined)
    return markup`${highlighted(before, 'sh')}${highlighted(file, 'xml')}${highlighted(after, 'sh')}`;
  const isKnown = highlighter.getLanguage(language) !== undefined;
  return new Markup(isKnown ? highlighter.highlight(code, { language }).value : escapeText(code));
}
