/** Why a text is not a schema that is accepted. */
export class InvalidScheme extends Error {}
