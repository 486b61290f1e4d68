import { errorCatalog } from '../../http/error-catalog';
import { errorCodes } from '../../shared/errors';
import { errorAdvice, inputErrorMeanings } from './error-advice';
import { type Markup, markup } from './markup';

/** Turns a sentence of ours, in which code and links are marked, into markup of the page that it stands on. */
export type WriteText = (text: string) => Markup;

const retryText = (retryable: boolean): string =>
  retryable
    ? 'Yes: the same request, after the seconds in `Retry-After`.'
    : 'Not without a change: the same request gets the same answer.';

/** Every code at a glance. */
export function errorTable(): Markup {
  const rows = errorCodes.map((code) => {
    const { status, retryable } = errorCatalog[code];
    return markup`<tr><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${
      retryable ? 'yes' : 'no'
    }</td></tr>`;
  });
  return markup`<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Retry</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** An entry for each code of problems; the `type` of every problem document links to one of these. */
export function errorEntries(write: WriteText): Markup {
  return markup`${errorCodes.map((code) => {
    const { status, title, retryable, meaning } = errorCatalog[code];
    const { action, retry } = errorAdvice[code];
    return markup`<section class="entry" id="${code}">
<h3><code>${code}</code></h3>
<p class="entry-title"><span class="status">${status}</span> ${title}</p>
<dl>
<div><dt>What it means</dt><dd>${write(meaning)}</dd></div>
<div><dt>What to do</dt><dd>${write(action)}</dd></div>
<div><dt>May I retry?</dt><dd>${write(retry ?? retryText(retryable))}</dd></div>
</dl>
</section>
`;
  })}`;
}

/** What the entries of `errors` in a problem document say. */
export function inputErrorEntries(write: WriteText): Markup {
  const entries = Object.entries(inputErrorMeanings).map(
    ([code, meaning]) =>
      markup`<div id="input-${code}"><dt><code>${code}</code></dt><dd>${write(meaning)}</dd></div>`,
  );
  return markup`<dl class="fields">${entries}</dl>`;
}
