import type { Result } from './case.js';
import type { Played } from './play.js';
import type { Exchange } from './proxy.js';

/** The name of each result in the report. */
export const labels: Readonly<Record<Result, string>> = {
  passed: 'PASSED',
  warning: 'WARNING',
  failed: 'FAILED',
  not_reached: 'NOT REACHED',
};
const order: readonly Result[] = ['failed', 'not_reached', 'warning', 'passed'];

/** One exchange as data, without secrets and without user_hash. */
function exchangeOf({ method, url, key, body, treatment, status, ...times }: Exchange): object {
  return {
    method,
    path: pathOf(url),
    idempotency_key: key ?? null,
    body: shownBody(body),
    fault: treatment ?? null,
    status: status ?? null,
    at_ms: Math.round(times.receivedAtMs),
    duration_ms: times.endedAtMs === undefined ? null : Math.round(times.endedAtMs - times.receivedAtMs),
    start: times.step,
  };
}

/** Members of a body that the report shows. */
const shownMembers = [
  ...['project_id', 'amount', 'status', 'bank_reference', 'value_date'],
  // Members of a webhook.
  ...['event', 'sequence'],
];

const shownBody = (body: Exchange['body']): object =>
  Object.fromEntries(
    shownMembers.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );

/** Returns malformed percent-encoding unchanged: the program under test may be wrong. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function pathOf(url: URL): string {
  const shown = new URL(url);
  if (shown.searchParams.has('user_hash')) shown.searchParams.set('user_hash', '…');
  return shown.pathname.replace(/^.*\/company\/integration/, '') + decode(shown.search);
}

/** The results as data. */
export function dataOf(profile: string, ok: boolean, results: readonly Played[]): object {
  return {
    ok,
    profile,
    cases: results.map(({ exchanges, runs, ...each }) => ({
      ...each,
      exit_codes: runs.map(({ exitCode }) => exitCode ?? null),
      exchanges: exchanges.map(exchangeOf),
    })),
  };
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The number of cases with this result, as a list item. */
function count(results: readonly Played[], result: Result): string {
  const { length } = results.filter((each) => each.result === result);
  return `<li class="${result}"><strong>${length}</strong> ${labels[result]}</li>`;
}

function exchangeRow(exchange: Exchange): string {
  const body = JSON.stringify(shownBody(exchange.body));
  const cells = [
    `${(exchange.receivedAtMs / 1_000).toFixed(2)} s`,
    `<code>${escape(`${exchange.method} ${pathOf(exchange.url)}`)}</code>${body === '{}' ? '' : `<br><code>${escape(body)}</code>`}`,
    exchange.key === undefined ? '–' : `<code>${escape(exchange.key)}</code>`,
    escape(exchange.treatment ?? '–'),
    exchange.status === undefined ? 'none' : String(exchange.status),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function exchangesOf(exchanges: readonly Exchange[]): string {
  if (exchanges.length === 0) return '<p>Your program sent no request.</p>';
  const names = ['At', 'Request', 'Idempotency-Key', 'What the kit did', 'Status'];
  return `<div class="wide" tabindex="0" role="region" aria-label="Requests"><table><thead><tr>${names
    .map((name) => `<th scope="col">${name}</th>`)
    .join('')}</tr></thead><tbody>${exchanges.map(exchangeRow).join('')}</tbody></table></div>`;
}

function section({ name, title, guide, result, detail, exchanges, runs, seconds }: Played): string {
  const outputs = runs
    .map(({ exitCode, output, isTimeout }, index) => {
      const how = isTimeout ? 'stopped after the timeout' : `exit code ${exitCode ?? 'none, killed'}`;
      return `<p>Run ${index + 1}: ${how}</p>${output === '' ? '' : `<pre>${escape(output)}</pre>`}`;
    })
    .join('');
  const isOpen = result === 'failed' || result === 'not_reached';
  return `<section class="${result}" id="${escape(name)}">
<h2><span class="result">${labels[result]}</span> ${escape(title)}</h2>
<p>${escape(detail)} <a href="${escape(guide)}">Guide<span class="unseen"> on ${escape(name)}</span></a></p>
<details${isOpen ? ' open' : ''}><summary>${exchanges.length} ${exchanges.length === 1 ? 'request' : 'requests'}, ${seconds} s, case <code>${escape(name)}</code></summary>
${exchangesOf(exchanges)}
${outputs}
</details>
</section>`;
}

const style = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1b2431;--quiet:#4c5968;--line:#d8dfe7;--surface:#f5f7fa;--accent:#0a5a8c;
--passed:#0f6138;--warning:#764700;--failed:#9b1c26;--not_reached:#4b3a9c}
@media (prefers-color-scheme:dark){:root{--paper:#10161e;--ink:#dde5ee;--quiet:#a4b1c0;--line:#2d3846;--surface:#18202a;--accent:#7dc3f0;
--passed:#7fd3a4;--warning:#f0c47b;--failed:#ff9ea5;--not_reached:#b9aef5}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.05rem;margin:0}
p{margin:.4rem 0}a{color:var(--accent)}.quiet,summary{color:var(--quiet)}
ul{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;list-style:none;padding:0;margin:1rem 0}
section{border:1px solid var(--line);border-left:.3rem solid;border-radius:.4rem;padding:.8rem 1rem;margin:.8rem 0}
section>*{color:var(--ink)}.passed{border-left-color:var(--passed)}.warning{border-left-color:var(--warning)}
.failed{border-left-color:var(--failed)}.not_reached{border-left-color:var(--not_reached)}
.result,li strong{font-weight:700}.passed .result,li.passed{color:var(--passed)}.warning .result,li.warning{color:var(--warning)}
.failed .result,li.failed{color:var(--failed)}.not_reached .result,li.not_reached{color:var(--not_reached)}
.result{font-size:.85rem;margin-right:.4rem}summary{cursor:pointer}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem;width:100%;margin:.6rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
code,pre{font-family:ui-monospace,monospace;font-size:.85em;overflow-wrap:anywhere}td code{min-width:9rem;display:inline-block}td:first-child{white-space:nowrap}
pre{background:var(--surface);padding:.6rem;white-space:pre-wrap;border-radius:.3rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

/** A page without scripts and external resources. */
export function htmlOf(profile: string, results: readonly Played[]): string {
  const sorted = [...results].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance report: ${escape(profile)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Conformance report: ${escape(profile)}</h1>
<p class="quiet">Contribution and Project Integration Service, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC</p>
<ul>${order.map((result) => count(results, result)).join('')}</ul>
${sorted.map(section).join('\n')}
</main>
</body>
</html>
`;
}
