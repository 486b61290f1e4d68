import { codesOf, type ErrorCatalog } from '../../http/errors/error-catalog';
import { inputErrorMeanings } from '../../http/errors/input-error-catalog';
import { renderTable } from './table';
import { type Markup, markup } from '../../shared/markup';

/** Renders a sentence with `code` and links for the page that shows it. */
export type WriteText = (text: string) => Markup;

const retryText = (retryable: boolean): string =>
  retryable
    ? 'Yes. Send the same request after `Retry-After` seconds.'
    : 'No. Change the request first, or resolve the cause.';

/** The table of all codes. */
export const errorTable = (errors: ErrorCatalog): Markup =>
  renderTable(
    [
      { name: 'Code' },
      { name: 'Title' },
      { name: 'Status', isShort: true },
      { name: 'Retry', isShort: true },
    ],
    codesOf(errors).map((code) => {
      const { status, title, retryable } = errors[code];
      return [markup`<a href="#${code}"><code>${code}</code></a>`, title, status, retryable ? 'yes' : 'no'];
    }),
  );

/** One entry per code. The `type` of every problem document links to one of them. */
export function errorEntries(errors: ErrorCatalog, write: WriteText): Markup {
  return markup`${codesOf(errors).map((code) => {
    const { status, title, retryable, meaning, advice, retry } = errors[code];
    return markup`<section class="entry" id="${code}">
<h3><code>${code}</code></h3>
<p class="entry-title"><span class="status">${status}</span> ${title}</p>
<dl>
<div><dt>Meaning</dt><dd>${write(meaning)}</dd></div>
<div><dt>What to do</dt><dd>${write(advice)}</dd></div>
<div><dt>Retry</dt><dd>${write(retry ?? retryText(retryable))}</dd></div>
</dl>
</section>
`;
  })}`;
}

/** One entry per code in `errors`. */
export function inputErrorEntries(write: WriteText): Markup {
  const entries = Object.entries(inputErrorMeanings).map(
    ([code, meaning]) =>
      markup`<div id="input-${code}"><dt><code>${code}</code></dt><dd>${write(meaning)}</dd></div>`,
  );
  return markup`<dl class="fields">${entries}</dl>`;
}
