import { optionalField, refuse, uuidField } from '../../../http/request/fields';
import { type EventType, eventTypes } from '../../events/event-type.field';

export const endpointIdInPath = uuidField('The `endpoint_id`', '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c');
export const eventIdInPath = uuidField('The `id` of the event', '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b');

export const replayIdInPath = uuidField('The `replay_id`', '019aa1b2-af60-7b82-9c9d-0e1f2a3b4c5d');

const known = new Set<unknown>(eventTypes);

/** Types of events, without repeats. Absent or empty for all types. */
export const optionalTypes = optionalField(
  {
    type: 'array',
    items: { type: 'string', enum: eventTypes },
    description:
      'The types of events to deliver. An empty list means all types, including types that are added later',
  },
  (value): EventType[] | ReturnType<typeof refuse> => {
    if (!Array.isArray(value)) return refuse('invalid_type', 'Send an array of types.');
    if (!value.every((type): type is EventType => known.has(type)))
      return refuse('unsupported_value', `Send only types of events: ${eventTypes.join(', ')}.`);
    return eventTypes.filter((type) => value.includes(type));
  },
);
