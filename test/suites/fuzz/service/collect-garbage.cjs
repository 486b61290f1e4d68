// Loaded into the service before its own modules. On request, it reports how much memory is in use
// after a garbage collection.
'use strict';

const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

// The threads that read statements load this file too.
if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');

  process.on('message', () => {
    collect();
    collect();
    process.send(process.memoryUsage());
  });
  process.channel.unref();
  // If somebody stops the run by hand, the service ends too.
  process.on('disconnect', () => process.exit(1));
}
