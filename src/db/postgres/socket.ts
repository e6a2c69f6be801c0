import { Socket } from 'node:net'

interface Address {
  readonly host: string
  readonly port: number
}

/** A socket to PostgreSQL, on its way to being connected. */
export async function openSocket({ host, port }: Address): Promise<Socket> {
  const path = `${host}/.s.PGSQL.${port}`
  return new Socket().connect(host.includes('/') ? { path } : { host, port })
}
