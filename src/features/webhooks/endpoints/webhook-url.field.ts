import { optionalField, field, type Refusal, refuse } from '../../../http/request/fields';

const longest = 2_048;

const schema = {
  type: 'string',
  format: 'uri',
  maxLength: longest,
  description:
    'An https URL on port 443 or 8443 without credentials or fragment. Every address of its host must be public. The service follows no redirects',
};

function parse(value: unknown): string | Refusal {
  if (typeof value !== 'string') return refuse('invalid_type', 'Send a string.');
  if (value.length > longest) return refuse('invalid_length', `Send at most ${longest} characters.`);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return refuse('invalid_format', 'Send an https URL.');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return refuse('invalid_format', 'Send a URL without credentials or fragment.');
  return url.href.length > longest
    ? refuse('invalid_length', `Send a URL of at most ${longest} characters after percent-encoding.`)
    : url.href;
}

export const webhookUrl = field(schema, parse);
export const optionalWebhookUrl = optionalField(schema, parse);
