/**
 * Whether this is what Kubernetes says of a service: SERVICE_PORT is the port of this program, and
 * the address of a service that is called `service`.
 */
export const isServiceLink = (name: string, value: string): boolean =>
  /_PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value)
