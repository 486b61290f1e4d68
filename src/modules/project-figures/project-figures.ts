import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import type { ProjectFiguresStore } from './project-figures.store';

export interface ProjectFigures {
  /** Stops, and waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Keeps the figures of the projects up to date. Every process tries at an interval, and the
 * database lets one of them run at most once a minute.
 */
export function keepProjectFigures(
  store: Pick<ProjectFiguresStore, 'addUp'>,
  logger: Logger,
  intervalMs: number,
): ProjectFigures {
  let currentRun: Promise<void> | undefined;

  async function addUp(): Promise<void> {
    try {
      await store.addUp();
    } catch (error) {
      // The changes stay queued for the next run.
      logger.warn({ error: loggable(error) }, 'project figures not updated');
    } finally {
      currentRun = undefined;
    }
  }

  const timer = setInterval(() => {
    currentRun ??= addUp();
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await currentRun;
    },
  };
}
