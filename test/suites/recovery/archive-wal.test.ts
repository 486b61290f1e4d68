import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { root, runProcess, temporaryFolder } from '../../support/program';

const name = '000000010000000000000001';

describe('ops/backup/archive-wal.sh', () => {
  const folder = temporaryFolder();
  const segment = path.join(folder.path, 'segment');
  const archive = path.join(folder.path, 'archive');
  mkdirSync(archive);
  afterAll(() => {
    folder.remove();
  });

  const store = async (content: string, into = archive): Promise<boolean> => {
    writeFileSync(segment, content);
    const script = path.join(root, 'ops', 'backup', 'archive-wal.sh');
    return (await runProcess(script, [segment, name, into])).exitCode === 0;
  };
  const archived = (): string => readFileSync(path.join(archive, name), 'utf8');

  it('copies a segment and replaces an interrupted copy', async () => {
    writeFileSync(path.join(archive, `${name}.part`), 'half of something longer');
    expect(await store('first')).toBe(true);
    expect(archived()).toBe('first');
    expect(existsSync(path.join(archive, `${name}.part`))).toBe(false);
  });

  it('accepts the same segment again', async () => {
    expect(await store('first')).toBe(true);
    expect(archived()).toBe('first');
  });

  it('rejects another segment with the same name and changes nothing', async () => {
    expect(await store('second')).toBe(false);
    expect(archived()).toBe('first');
  });

  it('fails without its folder', async () => {
    expect(await store('first', path.join(folder.path, 'unmounted'))).toBe(false);
  });
});
