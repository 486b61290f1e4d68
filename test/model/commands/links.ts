import { linkInForce } from '../model';
import { type Command, expectOutcome } from './command';

/** The operator links the owner with its bank. A link that is there stays as it is. */
export const link: Command = {
  title: 'link the bank',
  send: (service) => service.link('owner', 'bank'),
  judge(model, answer) {
    if (linkInForce(model, 'owner', 'bank') < 0)
      model.links.push({ environment: 'owner', bank: 'bank', isInForce: true });
    return expectOutcome(answer, 'done');
  },
};

/** The operator ends the link; without one there is nothing to end. */
export const unlink: Command = {
  title: 'unlink the bank',
  send: (service) => service.unlink('owner', 'bank'),
  judge(model, answer) {
    const place = linkInForce(model, 'owner', 'bank');
    if (place < 0) return expectOutcome(answer, 'refused');
    model.links[place] = { ...model.links[place]!, isInForce: false };
    return expectOutcome(answer, 'done');
  },
};
