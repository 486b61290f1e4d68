/** The stylesheet of the report. The page has no script, and loads nothing. */
export const reportStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1b2431; --quiet: #4c5968; --line: #d8dfe7; --surface: #f5f7fa; --accent: #0a5a8c; --bad: #9b1c26; --bad-paper: #fcebec; --warm: #764700; --warm-paper: #fcf2dd; }
@media (prefers-color-scheme: dark) { :root { --paper: #10161e; --ink: #dde5ee; --quiet: #a4b1c0; --line: #2d3846; --surface: #18202a; --accent: #7dc3f0; --bad: #ff9ea5; --bad-paper: #3a1a1e; --warm: #f0c47b; --warm-paper: #33270f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p { margin: .5rem 0; }
.environment { display: inline-block; padding: .15rem .7rem; border-radius: .4rem; border: 2px solid currentcolor; font-weight: 700; letter-spacing: .05em; }
.test { color: var(--warm); background: var(--warm-paper); }
.production { color: var(--accent); background: var(--surface); }
.warning { border-left: .3rem solid var(--bad); background: var(--bad-paper); color: var(--bad); padding: .5rem .8rem; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0; padding: .8rem 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: .4rem; }
dt { color: var(--quiet); }
dd { margin: 0; font-weight: 600; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
.table { overflow-x: auto; margin: .8rem 0; }
.table:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; color: var(--quiet); padding: .3rem 0; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.text { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.name { min-width: 8rem; overflow-wrap: anywhere; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; }
.open { color: var(--bad); font-weight: 600; }
@media print { .table { overflow: visible; } }
`;
