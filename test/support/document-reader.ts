import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { type DemoRole, readDemo } from '../../src/startup/demo-file';
import { type Block, blocksOf } from './documents';
import { build, root, runProcess, RunningService, temporaryFolder } from './program';

/**
 * The guides whose samples are run, in the order of the documentation. The guide of the month end
 * follows that of the bank, because the sandbox resets what the bank completed.
 */
export const guides = [
  'start',
  'sdk',
  'bank',
  'month-end',
  'credentials',
  'errors',
  'sandbox',
  'events',
  'statements',
  'what-arrived',
  'conformance',
] as const;
export type Guide = (typeof guides)[number];
export type Language = 'js' | 'sh' | 'ts' | 'py';

/** Guides, and the two files that a reader may see first. */
export const documents = {
  README: 'README.md',
  'SDK README': 'packages/sdk/README.md',
  ...(Object.fromEntries(guides.map((guide) => [guide, `docs/guides/${guide}.md`])) as Record<Guide, string>),
};
export type DocumentName = keyof typeof documents;

export const textOf = (name: DocumentName): string => readFileSync(path.join(root, documents[name]), 'utf8');
export const blocksIn = (name: DocumentName, language: Language): Block[] =>
  blocksOf(textOf(name), [language]);

/** The README's commands, without those that install it. */
export const readmeRequests = (): Block[] =>
  blocksIn('README', 'sh').filter(({ text }) => !text.includes('npm ci'));

export const hasCurl = spawnSync('curl', ['--version']).status === 0;
export const hasPython = spawnSync('python3', ['--version']).status === 0;

/**
 * The guide for the conformance kit is left out, because its SDK program is in the SDK's README.
 */
export const withSdk = guides.filter((guide) => guide !== 'conformance' && blocksIn(guide, 'js').length > 0);

/** Node 20 does not run TypeScript, as the guide says. */
const runsTypeScript = (process.features as { typescript?: unknown }).typescript === 'strip';
export const forms = runsTypeScript ? (['mts', 'mjs'] as const) : (['mjs'] as const);
export type Form = (typeof forms)[number];

/**
 * A guide's program as a reader saves it: the client of the first guide, then the guide's own
 * blocks.
 */
export function programOf(guide: Guide, language: Language = 'ts'): string {
  return [...new Set<Guide>(['start', guide])]
    .flatMap((part) => blocksIn(part, language))
    .map(({ text }) => text)
    .join('\n');
}

const marker = '=== next block ===';

/** Widens the range of a month, so that it includes the contributions of these examples. */
const ofToday = (program: string): string =>
  program.replace('2026-11-01T', '2026-01-01T').replace('2026-12-01T', '2099-01-01T');

/**
 * Runs the samples of documents as a reader would: each document from top to bottom, with programs
 * that are saved unchanged, against a new service with its demo.
 */
export class DocumentReader {
  /** The output of each block of a document. */
  readonly outputs = new Map<string, string[]>();

  private constructor(
    readonly folder: string,
    readonly baseUrl: string,
    private readonly end: () => Promise<void>,
    private readonly service: RunningService,
    private readonly sandbox: DemoRole,
  ) {}

  /** @param sandbox the company whose test environment the guide of the sandbox changes */
  static async start(sandbox: DemoRole = 'sdk_host'): Promise<DocumentReader> {
    await build();
    const folder = temporaryFolder();
    symlinkSync(path.join(root, 'node_modules'), path.join(folder.path, 'node_modules'));
    const service = await RunningService.start({ DATA_DIRECTORY: path.join(folder.path, '.data') });
    const end = async (): Promise<void> => {
      await service.signal('SIGTERM');
      folder.remove();
    };
    return new DocumentReader(folder.path, service.baseUrl, end, service, sandbox);
  }

  /** What the service printed when it started. */
  get greeting(): string {
    return this.service.output;
  }

  /** Stops the service and removes the folder. */
  stop(): Promise<void> {
    return this.end();
  }

  async read(name: DocumentName): Promise<void> {
    if (name === 'README') return this.readReadme();
    if (name === 'SDK README') return this.readSdkReadme();
    if (hasCurl) await this.runCurl(name);
    for (const form of blocksIn(name, 'ts').length > 0 ? forms : []) await this.runProgram(name, form);
    if (hasPython && blocksIn(name, 'py').length > 0) await this.runPython(name);
    if (withSdk.includes(name)) await this.runSdk(name);
  }

  /** Runs a program in the reader's folder. Returns its output, cut at the marker. */
  async run(program: string, file: string, settings: Record<string, string>): Promise<string[]> {
    const { exitCode, output } = await runProcess(program, [file], settings, this.folder);
    expect([file, exitCode, output]).toEqual([file, 0, expect.any(String)]);
    return output.split(marker);
  }

  private pairOf(role: DemoRole): { api_key: string; api_secret: string } {
    const { companies } = readDemo(path.join(this.folder, '.data'))!;
    return companies.find((company) => company.role === role)!.environments.test;
  }

  /** The pair of the company, or of the bank, that reads the guide. */
  private pairFor(guide: Guide): { api_key: string; api_secret: string } {
    if (guide === 'sandbox') return this.pairOf(this.sandbox);
    return this.pairOf(guide === 'bank' || guide === 'month-end' ? 'partner_bank' : 'sdk_host');
  }

  /** The values that a reader replaces: the URL, and the key pair of a company or a bank. */
  private asReader(guide: Guide, text: string): string {
    const pair = this.pairFor(guide);
    return text
      .replaceAll('https://api.example.org', this.baseUrl)
      .replaceAll('cpk_test_…', pair.api_key)
      .replaceAll('cps_test_…', pair.api_secret);
  }

  private variablesOf({
    api_key,
    api_secret,
  }: {
    api_key: string;
    api_secret: string;
  }): Record<string, string> {
    return {
      CONTRIBUTION_API_URL: `${this.baseUrl}/company/integration`,
      CONTRIBUTION_API_KEY: api_key,
      CONTRIBUTION_API_SECRET: api_secret,
    };
  }

  private save(file: string, text: string): string {
    writeFileSync(path.join(this.folder, file), text);
    return file;
  }

  /**
   * Creates contributions of 25.00 as the company, until its bank has this many to complete. The
   * guide for banks asks for it.
   */
  async createPending(least: number): Promise<void> {
    const { api_key, api_secret } = this.pairOf('sdk_host');
    const base = `${this.baseUrl}/company/integration`;
    const headers = { 'API-Key': api_key, 'API-Secret': api_secret, 'Content-Type': 'application/json' };
    const listed = await fetch(`${base}/contributions?status=pending`, { headers });
    const { data } = (await listed.json()) as { data: unknown[] };
    for (let count = data.length; count < least; count += 1) {
      const body = JSON.stringify({ project_id: 1, amount: '25.00', user_hash: 'dGhlIHJlYWRlcg==' });
      const created = await fetch(`${base}/contributions/create`, { method: 'PUT', headers, body });
      expect(created.status).toBe(201);
    }
  }

  private async readReadme(): Promise<void> {
    const script = readmeRequests().map(({ text }) => `${text}\necho '${marker}'`);
    const file = this.save('readme.sh', `set -e\n${script.join('\n')}\n`);
    this.outputs.set('README sh', await this.run('bash', file, {}));
  }

  /** Its complete programs, with the key pairs that it names. */
  private async readSdkReadme(): Promise<void> {
    const programs = blocksIn('SDK README', 'js').filter(
      ({ text }) => !/createServer|CONFORM_TASK/.test(text),
    );
    for (const [index, { text }] of programs.entries()) {
      const pair = text.includes('client.bank.') ? this.pairOf('partner_bank') : this.pairOf('stranger');
      const file = this.save(`sdk-readme-${index}.mjs`, text);
      this.outputs.set(
        `SDK README js ${index}`,
        await this.run(process.execPath, file, this.variablesOf(pair)),
      );
    }
  }

  private async runCurl(guide: Guide): Promise<void> {
    const prelude =
      guide === 'start' ? '' : blocksIn('start', 'sh')[0]!.text.replace(/^call GET[\s\S]*/m, '');
    const script = blocksIn(guide, 'sh')
      .map(({ text }) => `${text}\necho '${marker}'`)
      .join('\n');
    const file = this.save(`${guide}.sh`, `set -e\n${this.asReader(guide, `${prelude}\n${script}`)}`);
    this.outputs.set(`${guide} sh`, await this.run('bash', file, {}));
  }

  private async programText(guide: Guide, form: Form): Promise<string> {
    if (form === 'mts') return programOf(guide);
    const response = await fetch(`${this.baseUrl}/docs/examples/${guide}.mjs`);
    expect(response.status).toBe(200);
    return response.text();
  }

  private async runProgram(guide: Guide, form: Form): Promise<void> {
    const file = this.save(`${guide}.${form}`, await this.programText(guide, form));
    const variables = this.variablesOf(this.pairFor(guide));
    this.outputs.set(`${guide} ${form}`, await this.run(process.execPath, file, variables));
  }

  private async runPython(guide: Guide): Promise<void> {
    const file = this.save(`${guide}.py`, programOf(guide, 'py'));
    this.outputs.set(`${guide} py`, await this.run('python3', file, this.variablesOf(this.pairFor(guide))));
  }

  /** Runs the samples with the SDK: the client of the first guide, then the guide's own samples. */
  private async runSdk(guide: Guide): Promise<void> {
    const [start = '', ...others] = [...new Set<Guide>(['start', guide])].flatMap((part) =>
      blocksIn(part, 'js').map(({ text }) => text),
    );
    const own = guide === 'start' ? [start] : [start.replace(/^console\.log.*$/m, ''), ...others];
    const program = own.join(`\nconsole.log('${marker}');\n`);
    const file = this.save(`${guide}.sdk.mjs`, guide === 'month-end' ? ofToday(program) : program);
    const output = await this.run(process.execPath, file, this.variablesOf(this.pairFor(guide)));
    this.outputs.set(`${guide} js`, output.slice(guide === 'start' ? 0 : 1));
  }
}
