import { errorCatalog } from '../../http/error-catalog';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);

/** The error catalogue as a page: the `type` of every problem document is a link to its entry here. */
export function renderErrorPage(): string {
  const entries = Object.entries(errorCatalog).map(
    ([code, { status, title, retryable, meaning }]) => `
      <section id="${code}">
        <h2><code>${code}</code></h2>
        <p><strong>${status}</strong> ${escape(title)}</p>
        <p>${escape(meaning)}</p>
        <p>May the same request be sent again? ${retryable ? 'Yes, later.' : 'Not without a change.'}</p>
      </section>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Errors of the Contribution and Project Integration Service</title>
  </head>
  <body>
    <main>
      <h1>Errors</h1>
      <p>Every error is a problem document (RFC 9457) with one of these codes.</p>${entries.join('')}
    </main>
  </body>
</html>
`;
}
