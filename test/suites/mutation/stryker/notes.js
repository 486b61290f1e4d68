const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

/** The folder in which the Jest runs exchange data. Stryker's processes share nothing else. */
const directory = process.env.MUTATION_NOTES_DIRECTORY ?? '';

function write(kind, name, note) {
  mkdirSync(path.join(directory, kind), { recursive: true });
  writeFileSync(path.join(directory, kind, `${name}.json`), JSON.stringify(note));
}

function read(kind) {
  const folder = path.join(directory, kind);
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
}

module.exports = {
  /** @param {{ file: string, mutants: string[] }} recording the mutants that a test file reaches */
  record: (recording) => write('coverage', path.basename(recording.file), recording),
  recordings: () => read('coverage'),
  /** @param {{ file: string, mutant: number }} kill the test file that noticed a mutant */
  noteKiller: (kill) => write('killers', String(kill.mutant), kill),
  killers: () => read('killers'),
};
