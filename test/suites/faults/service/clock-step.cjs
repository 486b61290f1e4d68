'use strict';
// Loaded into the service's process before the service (node --require): moves its clock, as an
// operator or a broken time server would. CLOCK_OFFSET_FILE holds the offset in milliseconds, read
// anew on SIGUSR2. Timers are not moved: the system's monotonic clock does not step either.
const { readFileSync } = require('node:fs');

const SystemDate = Date;
let offset = 0;

class SteppedDate extends SystemDate {
  constructor(...parameters) {
    if (parameters.length === 0) super(SystemDate.now() + offset);
    else super(...parameters);
  }

  static now() {
    return SystemDate.now() + offset;
  }
}

globalThis.Date = SteppedDate;

function readOffset() {
  offset = Number(readFileSync(process.env.CLOCK_OFFSET_FILE, 'utf8'));
}
readOffset();
process.on('SIGUSR2', readOffset);
