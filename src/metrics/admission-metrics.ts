import { Counter, Gauge, type Registry } from 'prom-client';

import type { RequestStepsSettings } from '../http/request-steps';
import { type TrafficClass, trafficClasses } from '../shared/traffic-classes';

type Observer = RequestStepsSettings['observer'];
type AdmissionState = Parameters<Observer['watch']>[0];

/** Requests waiting, in progress and rejected by admission, by traffic class. */
export function createAdmissionMetrics(registry: Registry): Observer {
  const registers = [registry];
  const shed = new Counter({
    name: 'contribution_admission_shed_requests_total',
    help: 'Requests rejected with 503 before processing, because they waited too long or the queue was full.',
    labelNames: ['class'],
    registers,
  });
  for (const name of trafficClasses) shed.inc({ class: name }, 0);
  const closed = new Counter({
    name: 'contribution_admission_closed_connections_total',
    help: 'Connections closed because they sent too many requests without waiting for responses, or did not read them.',
    registers,
  });

  let state: AdmissionState | undefined;
  function gauge(
    name: string,
    help: string,
    read: (state: AdmissionState, trafficClass: TrafficClass) => number,
  ): void {
    new Gauge({
      name: `contribution_admission_${name}`,
      help,
      labelNames: ['class'],
      registers,
      collect() {
        for (const trafficClass of trafficClasses) {
          this.set({ class: trafficClass }, state ? read(state, trafficClass) : 0);
        }
      },
    });
  }
  gauge('waiting_requests', 'Requests that wait for admission.', (own, name) => own.waiting(name));
  gauge('requests_in_progress', 'Admitted requests without a response yet.', (own, name) =>
    own.inProgress(name),
  );

  return {
    onShed: (trafficClass) => {
      shed.inc({ class: trafficClass });
    },
    onConnectionClosed: () => {
      closed.inc();
    },
    watch(watched) {
      state = watched;
    },
  };
}
