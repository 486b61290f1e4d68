export interface ReadResponse {
  status: number;
  hasRetryAfter: boolean;
}

/**
 * Reads the responses of one connection. It only supports Content-Length, so it uses little CPU
 * time, which it shares with the measured program.
 */
export class ResponseReader {
  private head = '';
  private response: ReadResponse = { status: 0, hasRetryAfter: false };
  private bodyBytesLeft = -1;

  constructor(private readonly onResponse: (response: ReadResponse) => void) {}

  read(data: Buffer): void {
    for (let place = 0; place < data.length;) {
      if (this.bodyBytesLeft < 0) {
        const seen = this.head.length;
        this.head += data.toString('latin1', place);
        const end = this.head.indexOf('\r\n\r\n', Math.max(0, seen - 3));
        if (end < 0) return;
        place += end + 4 - seen;
        const head = this.head.slice(0, end);
        this.head = '';
        this.response = { status: Number(head.slice(9, 12)), hasRetryAfter: /\r\nretry-after:/i.test(head) };
        this.bodyBytesLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      }
      const taken = Math.min(this.bodyBytesLeft, data.length - place);
      place += taken;
      this.bodyBytesLeft -= taken;
      if (this.bodyBytesLeft > 0) return;
      this.bodyBytesLeft = -1;
      this.onResponse(this.response);
    }
  }
}
