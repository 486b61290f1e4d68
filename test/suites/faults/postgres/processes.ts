import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The parent of every process, by process id. */
function parents(): Map<number, number> {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    return new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
  }
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/stat`, 'utf8');
      // pid (name) state ppid …; the name may contain any character.
      found.set(Number(name), Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended by itself.
    }
  }
  return found;
}

/** The children of a process. PostgreSQL's processes have no children. */
export function childrenOf(processId: number): number[] {
  return [...parents()].filter(([, parent]) => parent === processId).map(([child]) => child);
}
