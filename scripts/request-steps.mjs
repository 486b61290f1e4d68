// node scripts/request-steps.mjs [--summary]: prints which own functions serve a request of the
// core, in the order in which they are called, and how often each is called.
// It builds the program, adds a note to the beginning of each function of a copy in dist-path/,
// starts this copy with its embedded database, and records one request after others have warmed
// it up. Functions that also run while no request is served are left out.
import { fork, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const copy = path.join(root, 'dist-path');
const warmUps = 30;
const records = 5;

/** Adds a call to the beginning of each function: `file name`. */
function instrument(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const place = path.relative(path.join(copy, 'src'), file).replace(/\.js$/, '');
  const nameOf = (node) => {
    for (let at = node; at && !ts.isSourceFile(at); at = at.parent) {
      if (at.name && ts.isIdentifier(at.name)) return at.name.text;
      if (at !== node && ts.isFunctionLike(at)) return `${nameOf(at)} › callback`;
    }
    return 'callback';
  };
  const insertions = [];
  const visit = (node) => {
    ts.forEachChild(node, visit);
    const { body } = node;
    // Constructors and accessors are few and short.
    if (!ts.isFunctionLike(node) || !body || ts.isConstructorDeclaration(node) || ts.isAccessor(node)) return;
    // Node finds the names of re-exports by the text of their getters.
    if (ts.isPropertyAssignment(node.parent) && node.parent.name.getText() === 'get') return;
    const note = `globalThis.noteCall(${JSON.stringify(`${place} ${nameOf(node)}`)})`;
    if (ts.isBlock(body)) insertions.push([body.getStart() + 1, `${note};`]);
    else insertions.push([body.getStart(), `(${note}, `], [body.end, ')']);
  };
  visit(source);
  let text = source.text;
  for (const [at, added] of insertions.sort(([one], [other]) => other - one))
    text = text.slice(0, at) + added + text.slice(at);
  writeFileSync(file, text);
}

/** Loaded before the program: records calls between the messages `start` and `stop`. */
const recorder = `
let calls;
globalThis.noteCall = (place) => void calls?.push(place);
process.on('message', (message) => {
  if (message === 'start') calls = [];
  else { process.send(calls); calls = undefined; }
});
process.channel.unref();
`;

async function startProgram(folder) {
  const preload = path.join(folder, 'recorder.cjs');
  writeFileSync(preload, recorder);
  const program = fork(path.join(copy, 'src', 'server.js'), [], {
    env: { PATH: process.env.PATH, ENV_FILE: 'off', PORT: '0', METRICS_PORT: 'off', DATA_DIRECTORY: folder },
    execArgv: ['--require', preload],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  const port = await new Promise((resolve, reject) => {
    program.once('exit', () => reject(new Error(`the program did not start: ${output}`)));
    program.stderr.on('data', (text) => void (output += String(text)));
    program.stdout.on('data', (text) => {
      output += String(text);
      const found = /"port":(\d+),"msg":"listening"/.exec(String(text));
      if (found) resolve(Number(found[1]));
    });
  });
  return { program, url: `http://127.0.0.1:${port}/company/integration` };
}

/** The calls during a piece of work, and shortly after it, when the end of a response is noted. */
async function recordCalls(program, work) {
  program.send('start');
  await delay(20);
  await work();
  await delay(60);
  return new Promise((resolve) => {
    program.once('message', resolve);
    program.send('stop');
  });
}

function print(title, calls, isSummary) {
  const files = new Set(calls.map((place) => place.split(' ')[0]));
  console.log(`\n${title}: ${new Set(calls).size} functions, ${calls.length} calls, ${files.size} files`);
  if (isSummary) return;
  let last;
  for (const place of calls) {
    const [file, ...name] = place.split(' ');
    console.log(`  ${file === last ? ''.padEnd(file.length) : file}  ${name.join(' ')}`);
    last = file;
  }
}

async function main() {
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs'), '--if-stale'], { stdio: 'inherit' });
  rmSync(copy, { recursive: true, force: true });
  cpSync(path.join(root, 'dist'), copy, { recursive: true });
  for (const entry of readdirSync(path.join(copy, 'src'), { recursive: true, withFileTypes: true }))
    if (entry.name.endsWith('.js') && !entry.parentPath.includes('assets'))
      instrument(path.join(entry.parentPath, entry.name));
  const folder = mkdtempSync(path.join(tmpdir(), 'request-steps-'));
  const { program, url } = await startProgram(folder);
  try {
    const demo = JSON.parse(readFileSync(path.join(folder, 'demo.json'), 'utf8'));
    const { test } = demo.companies.find(({ role }) => role === 'stranger').environments;
    const headers = {
      'API-Key': test.api_key,
      'API-Secret': test.api_secret,
      'Content-Type': 'application/json',
    };
    const send = async (method, target, body) => {
      const response = await fetch(url + target, { method, headers, body: body && JSON.stringify(body) });
      if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    let users = 0;
    const create = () =>
      send('PUT', '/contributions/create', {
        project_id: 1,
        amount: '25.00',
        user_hash: `user-${(users += 1)}`,
      });
    const pending = [];
    const requests = {
      'create a contribution': create,
      'complete a contribution': () =>
        send('PUT', `/contributions/${pending.pop()}`, { status: 'completed' }),
      'read the main component': () => send('GET', `/projects-stories?user_hash=user-1`),
    };
    await send('PUT', '/sandbox/settings', { bank: 'none' });
    for (const [title, request] of Object.entries(requests)) {
      for (let count = 0; count < warmUps + records; count += 1)
        if (title.startsWith('complete')) pending.push((await create()).transaction_id);
      for (let count = 0; count < warmUps; count += 1) await request();
      await delay(300);
      const idle = new Set(await recordCalls(program, () => delay(1_500)));
      let fewest;
      for (let count = 0; count < records; count += 1) {
        const calls = (await recordCalls(program, request)).filter((place) => !idle.has(place));
        if (fewest === undefined || calls.length < fewest.length) fewest = calls;
      }
      print(title, fewest, process.argv.includes('--summary'));
    }
  } finally {
    program.kill('SIGTERM');
    await new Promise((resolve) => program.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
    rmSync(copy, { recursive: true, force: true });
  }
}

await main();
