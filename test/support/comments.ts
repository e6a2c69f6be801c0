import { declares } from './documents.ts'

const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
const fileName =
  /(?<![\w./:@-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|js|css|html|md|sql|wat)(?![\w(])/g
/** `bytesOf`, `Limiter.run`, `performance.now()`; a plain word in backticks may be a parameter or a column. */
const codeName = /`([A-Za-z_$][\w$]*)(?:\.(#?[\w$]+))?(?:\([^`\n]*\))?`/g
const isPlainWord = (name: string) => /^`(?:[^A-Z.(]*|[A-Z_]*)`$/.test(name)
/** Files of packages. */
const foreign = ['postgres.js']

/**
 * The files, functions, classes and members that comments name and that are not there.
 * @param sources their texts, by their paths
 * @param paths of all files that may be named
 */
export function unknownNames(
  sources: ReadonlyMap<string, string>,
  paths: readonly string[],
): string[] {
  const files = new Set([...paths.flatMap(endsOf), ...foreign])
  const isKnown = knownIn([...sources.values()].map((text) => text.replaceAll(comment, '')))
  return [...sources].flatMap(([path, text]) => {
    const comments = (text.match(comment) ?? []).join('\n')
    const unknown = [...comments.matchAll(codeName)].filter(
      ([name, owner = '', member]) => !isPlainWord(name) && !isKnown(owner, member),
    )
    return [
      ...(comments.match(fileName) ?? []).filter((file) => !files.has(file.replace(/^\.\//, ''))),
      ...unknown.map(([name]) => name),
    ].map((name) => `${path}: ${name}`)
  })
}

/** Each way to name a file: by its path, or by the end of it. */
const endsOf = (path: string) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))

/** Says whether code has a name. A member of a class or an interface must be declared in it. */
function knownIn(code: readonly string[]) {
  const words = new Set(code.flatMap((each) => each.match(/[\w$]+/g) ?? []))
  return (owner: string, member: string | undefined) => {
    // Not of ours: `c.res`, `Math.round`.
    const isForeign = !/^[A-Z]/.test(owner) || Reflect.has(globalThis, owner)
    if (member === undefined || isForeign) return words.has(owner)
    return code.some((each) => declares(each, `${owner}.${member}`))
  }
}
