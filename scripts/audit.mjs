// Reports known vulnerabilities of the production dependencies. Exit codes: 0 none or low, 1
// moderate or worse, 77 the registry does not respond to npm audit.
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--audit-level=moderate', '--json'], {
  encoding: 'utf8',
  timeout: 60_000,
});

const report = (() => {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
})();

if (!report?.metadata) {
  console.log('skipped: the registry does not respond to npm audit');
  process.exit(77);
}
const { total, info, low } = report.metadata.vulnerabilities;
const names = Object.keys(report.vulnerabilities).join(', ');
console.log(total === 0 ? 'no known vulnerabilities' : `known vulnerabilities: ${names}`);
process.exit(total > info + low ? 1 : 0);
