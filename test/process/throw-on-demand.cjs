// Preloaded into the service (NODE_OPTIONS). Wraps the functions of the modules through which every
// request passes outside the application's handlers: exported functions, methods, and the functions
// that they return. Over HTTP on THROWING_PORT it lists the functions that ran (GET /), and makes
// one of them throw at its next call (POST /name).
const http = require('node:http');
const Module = require('node:module');
const path = require('node:path');

const watched =
  /\/dist\/src\/(http\/(server|request|middleware|response|errors)|metrics|shared|modules\/key-pairs)\//;
// Code of the wrapped functions themselves, and what ends a request after an exception.
const exempt = /\/(contained|logger|loggable-error|error-catalog|errors|problem)\.js$/;

const seen = new Set();
let armed;
let thrown = 0;

function wrap(value, name) {
  if (typeof value === 'function')
    return /^class\b/.test(String(value)) ? wrapClass(value, name) : wrapFunction(value, name);
  if (Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value;
  for (const [key, member] of Object.entries(value)) {
    const { writable, configurable } = Object.getOwnPropertyDescriptor(value, key);
    if (typeof member === 'function' && (writable || configurable))
      value[key] = wrapFunction(member, `${name}.${key}`);
  }
  return value;
}

const wrapped = new WeakSet();

function wrapFunction(run, name) {
  if (wrapped.has(run)) return run;
  function called(...parameters) {
    if (new.target) return Reflect.construct(run, parameters, new.target === called ? run : new.target);
    throwIfArmed(name);
    const result = run.apply(this, parameters);
    return typeof result === 'function' || Object.getPrototypeOf(result ?? 0) === Object.prototype
      ? wrap(result, `${name}()`)
      : result;
  }
  wrapped.add(called);
  return Object.defineProperties(called, {
    name: { value: run.name },
    length: { value: run.length },
    prototype: { value: run.prototype, writable: true },
  });
}

function wrapClass(type, name) {
  for (const key of Object.getOwnPropertyNames(type.prototype)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(type.prototype, key);
    if (key !== 'constructor' && typeof value === 'function' && writable)
      type.prototype[key] = wrapFunction(value, `${name}.${key}`);
  }
  return type;
}

function throwIfArmed(name) {
  seen.add(name);
  if (armed !== name) return;
  armed = undefined;
  thrown += 1;
  throw new Error(`thrown by ${name}`);
}

const load = Module._extensions['.js'];
Module._extensions['.js'] = function (module, file) {
  load(module, file);
  if (!watched.test(file) || exempt.test(file)) return;
  const name = path.basename(file, '.js');
  for (const [key, value] of Object.entries(module.exports))
    if (typeof value === 'function') module.exports[key] = wrap(value, `${name}.${key}`);
};

http
  .createServer((req, res) => {
    if (req.method === 'POST') armed = decodeURIComponent(req.url.slice(1));
    res.end(JSON.stringify({ seen: [...seen].sort(), armed, thrown }));
  })
  .listen(Number(process.env.THROWING_PORT), '127.0.0.1')
  .unref();
