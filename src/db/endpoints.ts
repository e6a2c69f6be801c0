/** What an instance has as its endpoint if nobody is to be asked for vectors. */
export const noEndpoint = 'none'

/** Clients up to 0.2 sent this name, which never exists (RFC 2606), for an instance without one. */
const formerNoEndpoint = 'https://endpoint.invalid/'

/** Whether an instance with this endpoint has a provider that can be asked. */
export const isProvider = (endpoint: string): boolean =>
  endpoint !== noEndpoint && endpoint !== formerNoEndpoint
