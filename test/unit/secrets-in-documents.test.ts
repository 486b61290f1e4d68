import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * No documented command has a secret on its command line: every account of the machine can read the
 * arguments of programs, and the shell's history keeps the whole line.
 */
const root = path.join(__dirname, '..', '..');
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => !/node_modules|\/dist\//.test(name) && statSync(path.join(root, name)).isFile());
const files = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'Dockerfile', '.env.example', 'package.json'],
  ...['docs', 'deploy', 'ops', 'bin', 'scripts', 'src/features/documentation'].flatMap(filesIn),
  'packages/sdk/README.md',
];

const password = String.raw`postgres(?:ql)?://[^\s/:@'"]+:(?:\$\([^)]*\)|[^\s@])+@`;
const kinds: Readonly<Record<string, RegExp>> = {
  'a secret in a header of curl': /(?:-H|--header)[ =]?\\?["'](?:API-Secret|Authorization): /,
  'a user and a password of curl': /curl .*(?:-u|--user)[ =]\S+:\S/,
  'an address of the database as an argument': new RegExp(
    String.raw`\b(?:psql|pg_\w+|createdb|vacuumdb|copy-database\.sh)\b.* ["']?(?:\$\{?DATABASE_\w*URL|${password})`,
  ),
  'an address with a password before a command': new RegExp(
    String.raw`(?:^|[\s\`])DATABASE_\w*URL=["']?(?:${password})[^\s\`]* +[\w./]`,
  ),
  'a secret before a command':
    /(?:^|[\s`])(?:CONTRIBUTION_API_SECRET|CREDENTIAL_PEPPERS|WEBHOOK_SECRET_KEYS|PGPASSWORD)=["']?(?![$"'])[\w:+/…-]{4,}["']? +[\w./]/,
  'a secret of a production pair': /cps_production_[A-Za-z0-9]{8}/,
};

/** Joins lines that end with a backslash. */
const linesOf = (text: string): string[] => text.replace(/\\\n\s*/g, ' ').split('\n');
const kindOf = (line: string): string | undefined =>
  Object.keys(kinds).find((kind) => kinds[kind]!.test(line));

test('no document, script or deployment file has a secret on a command line', () => {
  expect(files.length).toBeGreaterThan(120);
  const found = files.flatMap((file) =>
    linesOf(readFileSync(path.join(root, file), 'utf8')).flatMap((line, index) => {
      const kind = kindOf(line);
      return kind === undefined ? [] : [`${file}, line ${index + 1}: ${kind}`];
    }),
  );
  expect(found).toEqual([]);
});

test.each([
  [`call() { curl -s -H "API-Key: $CONTRIBUTION_API_KEY" -H "API-Secret: $CONTRIBUTION_API_SECRET" "$@"; }`],
  ['psql "$DATABASE_OWNER_URL" -c "SELECT 1"'],
  ['psql "postgres://postgres:$(cat .data/postgres.password)@127.0.0.1:5432/contribution_service"'],
  ['ops/citus/copy-database.sh postgres://owner:password@10.0.0.9/a postgres://owner:password@10.0.0.1/a'],
  ['DATABASE_OPERATOR_URL=postgres://anna:…@database:5432/contribution_service docker compose run operator'],
  [`CONTRIBUTION_API_SECRET='cps_test_abcdefgh' node client.mjs`],
])('it would find: %s', (line) => {
  expect(kindOf(line)).toBeDefined();
});

test.each([
  [`printf 'API-Secret: %s\\n' "$CONTRIBUTION_API_SECRET" | curl -H @- "$@"`],
  ['psql service=contribution-owner'],
  ['PGPASSWORD=$(cat .data/postgres.password) psql -h 127.0.0.1 -U postgres'],
  ['DATABASE_URL=postgres://contribution_service:PASSWORD@db.example.org:5432/contribution_service'],
])('it would not find: %s', (line) => {
  expect(kindOf(line)).toBeUndefined();
});
