/**
 * Finds a path segment that cannot be a handle. Browsers resolve `.` and `..` even if they are
 * encoded, so another operation would be called.
 * @param path such as `v1/users/alice/keys?limit=200`
 */
export const misreadSegment = (path: string): string | undefined =>
  path
    .replace(/\?.*/s, '')
    .split('/')
    .find((segment) => /^(\.|%2e){0,2}$/i.test(segment))
