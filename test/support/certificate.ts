import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A self-signed certificate for localhost and 127.0.0.1. */
export interface Certificate {
  certificateFile: string;
  privateKeyFile: string;
  /** The certificate that clients trust. */
  ca: Buffer;
}

/** Whether openssl is installed. */
export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function makeCertificate(folder: string): Certificate {
  const certificateFile = path.join(folder, 'certificate.pem');
  const privateKeyFile = path.join(folder, 'key.pem');
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1';
  execFileSync('openssl', [...request.split(' '), '-keyout', privateKeyFile, '-out', certificateFile], {
    stdio: 'ignore',
  });
  return { certificateFile, privateKeyFile, ca: readFileSync(certificateFile) };
}
