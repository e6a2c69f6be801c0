/**
 * The file to start a worker thread with. Node 20 loads only JavaScript, so a program that runs
 * from its sources, as tests do, uses the workers of the last build.
 * @param caller `import.meta.url` of the module that starts the thread
 * @param source the worker's source, relative to the caller
 */
export function workerScript(caller: string, source: `${'./' | '../'}${string}.ts`): URL {
  const { href } = new URL(source, caller)
  const script = href.replace(/ts$/, 'js')
  if (!caller.endsWith('.ts')) return new URL(script)
  const sources = new URL('../', import.meta.url)
  return new URL(script.slice(sources.href.length), new URL('../dist/', sources))
}
