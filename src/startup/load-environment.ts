import { loadEnvironmentFile } from './environment-file';

// Programs import this first, because tracing reads the environment when it is loaded.
try {
  loadEnvironmentFile(process.env);
} catch (error) {
  process.stderr.write(
    `The settings file cannot be read: ${error instanceof Error ? error.message : 'no reason given'}\n`,
  );
  process.exit(2);
}
