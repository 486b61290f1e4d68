import type { UploadOutcome } from './statement-upload';
import type { StatementUploadsStore } from './statement-uploads.store';
import { keptHours } from './upload-limits.field';

const mostAtOnce = 100;

const tooOld: UploadOutcome = {
  state: 'failed',
  reason: `The service could not read the file within ${keptHours} hours. Send it again.`,
};
const ofReset: UploadOutcome = {
  state: 'failed',
  reason: 'The test environment was reset before the file was read.',
};

/**
 * Deletes the bytes of uploads that nobody reads any more: incomplete ones, those of an environment
 * that a reset retired, and those that could not be read for a day. The latter happens if a pepper
 * was removed from the settings while uploads under it waited.
 */
export async function trimUploads(store: StatementUploadsStore): Promise<void> {
  for (const { isIncomplete, isOfReset, ...upload } of await store.expired(mostAtOnce)) {
    if (isIncomplete) await store.drop(upload);
    else await store.expire(upload, isOfReset ? ofReset : tooOld);
  }
}
