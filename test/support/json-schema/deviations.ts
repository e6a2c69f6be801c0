/** Which drafts a row is about, where it is not one of them. */
const several: Readonly<Record<string, readonly string[]>> = {
  all: ['draft-07', '2019-09', '2020-12'],
  earlier: ['draft-07', '2019-09'],
  later: ['2019-09', '2020-12'],
}

/*
 * Where the validator departs from the official tests on purpose, or as its libraries do: how many tests of a group
 * come out differently, in which drafts.
 */
const table = `
# A schema refers to what would have to be fetched. Nothing is: a reference leads to the schema itself or is refused.
2 earlier  optional/cross-draft: refs to future drafts are processed as future drafts
2 all      refRemote: remote ref
2 all      refRemote: fragment within remote ref
2 all      refRemote: ref within remote ref
2 all      refRemote: base URI change
2 all      refRemote: base URI change - change folder
2 all      refRemote: base URI change - change folder in subschema
3 all      refRemote: root ref in remote ref
2 draft-07 refRemote: remote ref with ref to definitions
2 all      refRemote: Location-independent identifier in remote ref
2 all      refRemote: retrieved nested refs resolve relative to their URI not $id
2 draft-07 refRemote: $ref to $ref finds location-independent $id
1 later    optional/cross-draft: refs to historic drafts are processed as historic drafts
2 later    refRemote: anchor within remote ref
2 later    refRemote: remote ref with ref to defs
2 later    refRemote: remote HTTP ref with different $id
2 later    refRemote: remote HTTP ref with different URN $id
2 later    refRemote: remote HTTP ref with nested absolute ref
2 later    refRemote: $ref to $ref finds detached $anchor
2 2020-12  dynamicRef: strict-tree schema, guards against misspelled properties
3 2020-12  dynamicRef: tests for implementation dynamic anchor and reference link
3 2020-12  dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first
3 2020-12  dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first
2 2020-12  dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor

# A schema names a meta-schema of its own. $schema names a draft, and vocabularies cannot be chosen.
3 later    vocabulary: schema that uses custom metaschema with with no validation vocabulary
2 later    vocabulary: ignore unrecognized optional vocabulary
2 2020-12  optional/format-assertion: schema that uses custom metaschema with format-assertion: false
2 2020-12  optional/format-assertion: schema that uses custom metaschema with format-assertion: true

# A schema asserts the content of strings. Its keywords annotate only, as in the later drafts.
1 draft-07 optional/content: validation of string-encoded content based on media type
1 draft-07 optional/content: validation of binary string-encoding
2 draft-07 optional/content: validation of binary-encoded media type documents

# A schema has a property named __proto__. Ajv passes over it in properties; required and patterns see it.
1 all      properties: properties whose names are Javascript object property names

# A schema has keywords beside $ref in draft-07. They count, as in the later drafts.
1 draft-07 ref: ref overrides any sibling keywords
2 draft-07 ref: $ref prevents a sibling $id from changing the base uri

# A schema has an embedded $id that refers into itself. It is refused, since Ajv follows it without end.
3 later    ref: refs with relative uris and defs
3 later    ref: relative refs with absolute uris and defs
2 later    ref: URN ref with nested pointer ref

# A schema has an $id below an unknown keyword. Ajv takes it for an identifier, so that two are refused.
3 all      optional/unknownKeyword: $id inside an unknown keyword is not a real identifier

# A schema needs the whole dynamic scope. Ajv resolves $dynamicRef and $recursiveRef by a simpler rule.
2 2019-09  recursiveRef: $recursiveRef with no $recursiveAnchor in the initial target schema resource
1 2020-12  dynamicRef: A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor
1 2020-12  dynamicRef: A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor
1 2020-12  dynamicRef: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated
1 2020-12  dynamicRef: A $dynamicRef without anchor in fragment behaves identical to $ref
1 2020-12  dynamicRef: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution
1 2020-12  dynamicRef: An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution
1 2020-12  dynamicRef: A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor
1 2020-12  dynamicRef: A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor
2 2020-12  dynamicRef: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope
1 2020-12  dynamicRef: A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor
2 2020-12  dynamicRef: multiple dynamic paths to the $dynamicRef keyword
3 2020-12  dynamicRef: after leaving a dynamic scope, it is not used by a $dynamicRef
1 2020-12  dynamicRef: $dynamicRef points to a boolean schema
1 2020-12  dynamicRef: $dynamicRef skips over intermediate resources - direct reference
1 2020-12  optional/dynamicRef: $dynamicRef skips over intermediate resources - pointer reference across resource boundary
1 2020-12  unevaluatedItems: unevaluatedItems with $dynamicRef
1 2020-12  unevaluatedProperties: unevaluatedProperties with $dynamicRef

# A schema needs annotations of if and contains, not all of which Ajv collects for unevaluatedItems and its like.
2 later    unevaluatedItems: unevaluatedItems with nested items
1 later    unevaluatedItems: unevaluatedItems can see annotations from if without then and else
1 later    unevaluatedProperties: unevaluatedProperties with if/then/else, then not defined
1 later    unevaluatedProperties: unevaluatedProperties can see annotations from if without then and else
1 2020-12  unevaluatedItems: unevaluatedItems depends on adjacent contains
1 2020-12  unevaluatedItems: unevaluatedItems depends on multiple nested contains
4 2020-12  unevaluatedItems: unevaluatedItems and contains interact to control item dependency relationship

# A schema overflows a float. 1e308 / 0.5 is no number.
1 all      optional/float-overflow: all integers are multiples of 0.5, if overflow is handled
`

/** How many tests of a group come out differently, by its name as in `suiteGroups`. */
export const deviations: ReadonlyMap<string, number> = new Map(
  [...table.matchAll(/^(\d+) (\S+) +(.+)$/gm)].flatMap(([, tests, drafts = '', group]) =>
    (several[drafts] ?? [drafts]).map((draft) => [`${draft} ${group}`, Number(tests)] as const),
  ),
)
