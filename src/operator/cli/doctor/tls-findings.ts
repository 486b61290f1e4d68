import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

import type { Config } from '../../../read-settings';
import { plainHttpNotice } from '../../../startup/plain-http';
import type { Finding } from './finding';

type TlsSettings = Pick<
  Config,
  | 'NODE_ENV'
  | 'HOST'
  | 'DATABASE_URL'
  | 'ALLOW_PLAIN_HTTP'
  | 'TLS_CERTIFICATE_FILE'
  | 'TLS_PRIVATE_KEY_FILE'
  | 'TRUSTED_PROXIES'
  | 'PUBLIC_BASE_URL'
>;

const day = 86_400_000;
const renewalDays = 14;

const finding = (status: Finding['status'], detail: string): Finding => ({
  check: 'https: certificate',
  status,
  detail,
});

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function judgeValidity(certificate: X509Certificate, now: Date): Finding {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (now.getTime() >= to)
    return finding('problem', `the certificate expired on ${dateOf(to)}: renew it and restart the service`);
  if (now.getTime() < from)
    return finding(
      'problem',
      `the certificate is not valid before ${dateOf(from)}: check the clock, or use another certificate`,
    );
  const days = Math.floor((to - now.getTime()) / day);
  return days < renewalDays
    ? finding('warning', `the certificate expires in ${days} days: renew it and restart the service`)
    : finding('ok', `the certificate is valid for ${days} days`);
}

function judgeCertificate(
  certificateFile: string,
  keyFile: string,
  settings: TlsSettings,
  now: Date,
): Finding[] {
  let certificate: X509Certificate;
  try {
    const [cert, key] = [readFileSync(certificateFile), readFileSync(keyFile)];
    createSecureContext({ cert, key });
    certificate = new X509Certificate(cert);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    return [
      finding(
        'problem',
        `the service cannot start with this certificate (${reason}): check TLS_CERTIFICATE_FILE and TLS_PRIVATE_KEY_FILE`,
      ),
    ];
  }
  const findings = [judgeValidity(certificate, now)];
  const host = settings.PUBLIC_BASE_URL === undefined ? '' : new URL(settings.PUBLIC_BASE_URL).hostname;
  // A URL encloses an IPv6 address in brackets.
  const address = host.replace(/^\[|\]$/g, '');
  const isNamed = isIP(address) ? certificate.checkIP(address) : certificate.checkHost(host);
  if (host !== '' && isNamed === undefined) {
    findings.push({
      check: 'https: name',
      status: 'warning',
      detail: `the certificate does not cover ${host} from PUBLIC_BASE_URL: partners that connect directly will reject it`,
    });
  }
  return findings;
}

/** Whether requests arrive over TLS. */
export function judgeHttps(settings: TlsSettings, now = new Date()): Finding[] {
  const { TLS_CERTIFICATE_FILE: certificateFile, TLS_PRIVATE_KEY_FILE: keyFile } = settings;
  if (certificateFile !== undefined && keyFile !== undefined)
    return judgeCertificate(certificateFile, keyFile, settings, now);
  const plain = plainHttpNotice(settings);
  if (plain)
    return [{ check: 'https', status: plain.rejectsAll ? 'problem' : 'warning', detail: plain.notice }];
  const detail =
    settings.TRUSTED_PROXIES.rules.length > 0
      ? 'a proxy in TRUSTED_PROXIES terminates TLS'
      : 'the service accepts plain HTTP, from this machine only';
  return [{ check: 'https', status: 'ok', detail }];
}
