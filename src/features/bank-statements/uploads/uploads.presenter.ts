import type { StoredUpload } from './statement-upload';
import type { UploadBody } from './uploads.contract';

export const presentUpload = (upload: StoredUpload): UploadBody => ({
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
