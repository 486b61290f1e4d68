import { replayHeader } from '../../../core/contributions/replay-header';
import type { Routes } from '../../../http/routes';
import { ServiceError } from '../../../shared/errors';
import { pageByUuid } from '../../../shared/uuid-cursor';
import { fileNotFound } from '../not-found';
import { notApplicable } from '../sent-texts';
import type { StoredUpload } from './statement-upload';
import type { StatementUploads } from './statement-uploads.service';
import { type UploadBody, uploadsContract } from './uploads.contract';

const presentUpload = (upload: StoredUpload): UploadBody => ({
  file_id: upload.uploadId,
  // Nobody sees an upload before its bytes are durable.
  state: upload.state === 'receiving' ? 'received' : upload.state,
  reason: upload.reason,
  format: upload.format,
  version: upload.version,
  bytes: upload.byteCount,
  statements: upload.statementCount,
  entries: upload.readLines,
  problems: upload.problems,
  received_at: upload.receivedAt.toISOString(),
  ended_at: upload.endedAt?.toISOString() ?? null,
  voided_at: upload.voidedAt?.toISOString() ?? null,
  void_reason: upload.voidReason,
});

/** Adds the uploads of files to the API. */
export function uploadsRoutes(routes: Routes, uploads: StatementUploads): void {
  routes.bind(uploadsContract.importStatement).to(async ({ principal, query, upload, addToLog }) => {
    const { account, direction, mapping } = query;
    const options = { account, direction, mapping };
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
    const upload = await uploads.find({ environmentId, uploadId: params.file_id });
    if (!upload) throw fileNotFound();
    return { status: 200, body: presentUpload(upload) };
  });

  routes.bind(uploadsContract.voidStatement).to(async ({ principal, params, body, addToLog }) => {
    const { environmentId } = principal;
    const upload = await uploads.void({ environmentId, uploadId: params.file_id }, body.reason);
    if (!upload) throw fileNotFound();
    if (upload === 'month_closed') {
      throw notApplicable('The file states days of a closed month. Reopen the month first.');
    }
    addToLog({ file_id: upload.uploadId });
    return { status: 200, body: presentUpload(upload) };
  });
}
