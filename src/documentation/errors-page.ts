import { errorCatalog } from '../http/errors/error-catalog';
import { inputErrorMeanings } from '../http/errors/input-error-catalog';
import { errorCodes } from '../shared/errors';
import { type Markup, markup } from '../shared/markup';

/** Renders a sentence with `code` and links for the page that shows it. */
export type WriteText = (text: string) => Markup;

const retryText = (retryable: boolean): string =>
  retryable
    ? 'Yes. Send the same request after `Retry-After` seconds.'
    : 'No. Change the request first, or resolve the cause.';

/** The table of all codes. */
export function errorTable(): Markup {
  const rows = errorCodes.map((code) => {
    const { status, retryable } = errorCatalog[code];
    return markup`<tr><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${
      retryable ? 'yes' : 'no'
    }</td></tr>`;
  });
  return markup`<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Retry</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** One entry per code. The `type` of every problem document links to one of them. */
export function errorEntries(write: WriteText): Markup {
  return markup`${errorCodes.map((code) => {
    const { status, title, retryable, meaning, advice, retry } = errorCatalog[code];
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
