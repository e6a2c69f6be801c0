/** The reason why a schema is rejected. */
export class InvalidScheme extends Error {}
