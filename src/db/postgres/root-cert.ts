import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { StartupError } from '../../errors.ts'
import { errorCode } from '../errors.ts'

/**
 * The certificates of a PEM file.
 * @throws StartupError if there are none, or one cannot be read
 */
export function readRootCert(path: string): string {
  const wanted = 'SERVICE_DBSSLROOTCERT must name a file of PEM certificates'
  const text = contentOf(path, wanted)
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new StartupError(`${wanted}; there is none in ${path}`)
  if (!blocks.every(isCertificate)) {
    throw new StartupError(`${wanted}; one in ${path} cannot be read`)
  }
  return blocks.join('\n')
}

function contentOf(path: string, wanted: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartupError(`${wanted}; ${path} cannot be read (${errorCode(error)})`)
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}
