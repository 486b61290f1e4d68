import { replayHeader } from '../../../core/contributions/replay-header';
import type { Routes } from '../../../http/routes';
import { ServiceError } from '../../../shared/errors';
import { pageByUuid } from '../../../shared/uuid-cursor';
import { fileNotFound } from '../not-found';
import { refused } from '../sent-texts';
import { questionTexts } from '../statements/csv-questions';
import type { CheckedUpload, UploadCheck } from './check-upload';
import type { StatementUploads } from './statement-uploads.service';
import { type CheckedBody, uploadsContract } from './uploads.contract';
import { presentUpload } from './uploads.presenter';

/** A file that was only checked. Nothing is stored, so it has no id. */
function presentChecked(bytes: number, { csv, ...checked }: CheckedUpload): CheckedBody {
  const now = new Date().toISOString();
  return {
    ...{ file_id: '00000000-0000-0000-0000-000000000000', state: 'checked', reason: null },
    ...{ format: checked.format, version: checked.version, bytes, statements: null },
    entries: Object.values(checked.outcomes).reduce((sum, count) => sum + count, 0),
    ...{ problems: checked.problems, received_at: now, ended_at: now, voided_at: null, void_reason: null },
    reading: {
      accounts: checked.accounts.map(({ accountId, ending, currency }) => ({
        ...{ account_id: accountId, account_ending: ending, currency },
      })),
      outcomes: checked.outcomes,
      csv: csv
        ? {
            ...{ header_line: csv.headerLine, skipped_lines: csv.skippedLines },
            questions: questionTexts(csv.questions),
          }
        : null,
    },
  };
}

/** Adds the uploads of files to the API. */
export function uploadsRoutes(
  routes: Routes,
  { uploads, uploadCheck }: { uploads: StatementUploads; uploadCheck: UploadCheck },
): void {
  routes.bind(uploadsContract.importStatement).to(async (input) => {
    const { principal, query, upload, addToLog, hasLeft } = input;
    const { account, direction, mapping } = query;
    const options = { account, direction, mapping };
    if (query.dry_run === true) {
      // The check may take over the memory of the bytes.
      const { length } = upload.bytes;
      const checked = await uploadCheck.check(principal.environmentId, upload.bytes, options, hasLeft);
      return { status: 200, body: presentChecked(length, checked) };
    }
    const received = await uploads.receive(principal.environmentId, [upload.bytes], options);
    const body = presentUpload(received.upload);
    addToLog({ file_id: body.file_id });
    if (received.outcome === 'options_differ') {
      throw new ServiceError('statement_options_differ', {
        detail: `The file is stored as ${body.file_id}, and was sent with another account, direction or mapping. Nothing was changed.`,
      });
    }
    return received.outcome === 'known'
      ? { status: 200, headers: replayHeader(true), body }
      : { status: 202, body };
  });

  routes.bind(uploadsContract.list).to(async ({ principal, query }) => {
    const found = await uploads.list(principal.environmentId, query.cursor, query.limit + 1);
    return { status: 200, body: pageByUuid(found.map(presentUpload), query.limit, (one) => one.file_id) };
  });

  routes.bind(uploadsContract.get).to(async ({ principal, params }) => {
    const { environmentId } = principal;
    const key = { environmentId, uploadId: params.file_id };
    const upload = await uploads.find(key);
    if (!upload) throw fileNotFound();
    return { status: 200, body: { ...presentUpload(upload), accounts: await uploads.accountsOf(key) } };
  });

  routes.bind(uploadsContract.voidStatement).to(async ({ principal, params, body }) => {
    const { environmentId } = principal;
    const upload = await uploads.void({ environmentId, uploadId: params.file_id }, body.reason);
    if (!upload) throw fileNotFound();
    if (upload === 'month_closed') {
      throw refused(upload, 'The file states days of a closed month. Reopen the month first.');
    }
    return { status: 200, body: presentUpload(upload) };
  });
}
