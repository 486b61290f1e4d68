// Preloaded into the service (NODE_OPTIONS). On a signal, it throws an unexpected error that
// contains the data of a row.
const { DatabaseError } = require('pg');

function failure() {
  const error = new DatabaseError(`invalid input: "${process.env.ACCIDENT}"`, 100, 'error');
  return Object.assign(error, {
    severity: 'ERROR',
    code: '23505',
    detail: `Key (user_hash)=(${process.env.ACCIDENT}) already exists.`,
    where: process.env.ACCIDENT,
  });
}

process.on('SIGUSR2', () => {
  if (process.env.ACCIDENT_KIND === 'exception') {
    setImmediate(() => {
      throw Object.assign(new TypeError('no such thing', { cause: failure() }), {
        input: process.env.ACCIDENT,
      });
    });
  } else {
    void Promise.reject(failure());
  }
});
