/** Tells listeners of the same process that something happened. */
export interface Signal<Values extends unknown[]> {
  listen: (listener: (...values: Values) => void) => void;
  send: (...values: Values) => void;
}

export function createSignal<Values extends unknown[] = []>(): Signal<Values> {
  const listeners: ((...values: Values) => void)[] = [];
  return {
    listen: (listener) => void listeners.push(listener),
    send: (...values) => {
      for (const listener of listeners) listener(...values);
    },
  };
}
