const thisMachine = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Fetches. What is for this machine goes through no proxy, which would see the key: Bun uses the one
 * in the environment unless it is told not to, and so does Node with NODE_USE_ENV_PROXY.
 */
export const fetched = (request: Request): Promise<Response> =>
  fetch(request, thisMachine.test(new URL(request.url).hostname) ? withoutProxy() : undefined)

function withoutProxy(): RequestInit {
  const init: RequestInit & { readonly proxy: false } = { proxy: false }
  const dispatcher = directDispatcher()
  // Not every RequestInit has it: types of browsers and of Node differ.
  if (dispatcher !== undefined) Reflect.set(init, 'dispatcher', dispatcher)
  return init
}

let direct: { readonly insteadOf: object; readonly dispatcher: object } | undefined

/**
 * Node does not export its dispatchers. The one that it uses with NODE_USE_ENV_PROXY has this name,
 * and its class makes one for which every host is an exception. @returns undefined without a proxy
 */
function directDispatcher(): object | undefined {
  const used: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  if (!(used instanceof Object) || used.constructor.name !== 'EnvHttpProxyAgent') return undefined
  if (direct?.insteadOf !== used) {
    const dispatcher = Reflect.construct(used.constructor, [{ noProxy: '*' }])
    direct = { insteadOf: used, dispatcher }
  }
  return direct.dispatcher
}
