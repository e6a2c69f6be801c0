type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What a JSON Merge Patch makes of a value (RFC 7396): fields that are null are removed, objects are merged, all
 * else replaces. As deep as the patch is, this calls itself.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  // Defines what it is given, also a field `__proto__`.
  return Object.fromEntries(merged)
}
