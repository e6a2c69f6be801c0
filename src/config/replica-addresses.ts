import { z } from 'zod'

interface ReplicaAddress {
  readonly host: string
  /** That of the primary unless given. */
  readonly port: number | undefined
}

const form = /^(?:\[(?<address>[\da-f:.]+)\]|(?<name>[^\s:,[\]/@]+))(?::(?<port>\d{1,5}))?$/i

function addressIn(text: string): ReplicaAddress | undefined {
  const { address, name, port } = form.exec(text.trim())?.groups ?? {}
  const host = address ?? name
  const number = port === undefined ? undefined : Number(port)
  if (host === undefined || number === 0 || (number ?? 1) > 65_535) return undefined
  return { host, port: number }
}

/** `host:port,…`; an IPv6 address stands in brackets. */
export const replicaAddresses = z.string().transform((text, context) => {
  const all = text.split(',').map(addressIn)
  const known = all.filter((each) => each !== undefined)
  if (known.length === all.length) return known
  const message =
    'must be hosts with their ports, separated by commas, such as replica-1:5432,[fd00::2]:5432'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})
