/** A group of which some tests come out differently: the drafts, how many tests in each, its name. */
type Deviation = readonly [drafts: string, tests: number, group: string]

const all = 'draft-07 2019-09 2020-12'
const later = '2019-09 2020-12'

/** Where the validator departs from the official tests on purpose, or as its libraries do. */
export const deviations: Record<string, readonly Deviation[]> = {
  // Nothing is fetched: a reference leads to the schema itself or it is refused.
  'refers to what would have to be fetched': [
    [
      'draft-07 2019-09',
      2,
      'optional/cross-draft: refs to future drafts are processed as future drafts',
    ],
    [all, 2, 'refRemote: remote ref'],
    [all, 2, 'refRemote: fragment within remote ref'],
    [all, 2, 'refRemote: ref within remote ref'],
    [all, 2, 'refRemote: base URI change'],
    [all, 2, 'refRemote: base URI change - change folder'],
    [all, 2, 'refRemote: base URI change - change folder in subschema'],
    [all, 3, 'refRemote: root ref in remote ref'],
    ['draft-07', 2, 'refRemote: remote ref with ref to definitions'],
    [all, 2, 'refRemote: Location-independent identifier in remote ref'],
    [all, 2, 'refRemote: retrieved nested refs resolve relative to their URI not $id'],
    ['draft-07', 2, 'refRemote: $ref to $ref finds location-independent $id'],
    [later, 1, 'optional/cross-draft: refs to historic drafts are processed as historic drafts'],
    [later, 2, 'refRemote: anchor within remote ref'],
    [later, 2, 'refRemote: remote ref with ref to defs'],
    [later, 2, 'refRemote: remote HTTP ref with different $id'],
    [later, 2, 'refRemote: remote HTTP ref with different URN $id'],
    [later, 2, 'refRemote: remote HTTP ref with nested absolute ref'],
    [later, 2, 'refRemote: $ref to $ref finds detached $anchor'],
    ['2020-12', 2, 'dynamicRef: strict-tree schema, guards against misspelled properties'],
    ['2020-12', 3, 'dynamicRef: tests for implementation dynamic anchor and reference link'],
    ['2020-12', 3, 'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first'],
    ['2020-12', 3, 'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first'],
    ['2020-12', 2, 'dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor'],
  ],
  // $schema names a draft; vocabularies cannot be chosen.
  'names a meta-schema of its own': [
    [later, 3, 'vocabulary: schema that uses custom metaschema with with no validation vocabulary'],
    [later, 2, 'vocabulary: ignore unrecognized optional vocabulary'],
    [
      '2020-12',
      2,
      'optional/format-assertion: schema that uses custom metaschema with format-assertion: false',
    ],
    [
      '2020-12',
      2,
      'optional/format-assertion: schema that uses custom metaschema with format-assertion: true',
    ],
  ],
  // contentEncoding and contentMediaType annotate only, as in the later drafts.
  'asserts the content of strings': [
    ['draft-07', 1, 'optional/content: validation of string-encoded content based on media type'],
    ['draft-07', 1, 'optional/content: validation of binary string-encoding'],
    ['draft-07', 2, 'optional/content: validation of binary-encoded media type documents'],
  ],
  // Ajv leaves `properties: { __proto__ }` out; `required` and patterns do see it.
  'has a property named __proto__': [
    [all, 1, 'properties: properties whose names are Javascript object property names'],
  ],
  // They count, as in the later drafts, instead of being ignored silently.
  'has keywords beside $ref in draft-07': [
    ['draft-07', 1, 'ref: ref overrides any sibling keywords'],
    ['draft-07', 2, 'ref: $ref prevents a sibling $id from changing the base uri'],
  ],
  // Ajv follows it without end; refused.
  'has an embedded $id that refers into itself': [
    [later, 3, 'ref: refs with relative uris and defs'],
    [later, 3, 'ref: relative refs with absolute uris and defs'],
    [later, 2, 'ref: URN ref with nested pointer ref'],
  ],
  // Ajv takes it for an identifier, and two of them for a contradiction; refused.
  'has an $id below an unknown keyword': [
    [all, 3, 'optional/unknownKeyword: $id inside an unknown keyword is not a real identifier'],
  ],
  // Ajv resolves $dynamicRef and $recursiveRef by a simpler rule.
  'needs the whole dynamic scope': [
    [
      '2019-09',
      2,
      'recursiveRef: $recursiveRef with no $recursiveAnchor in the initial target schema resource',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef without anchor in fragment behaves identical to $ref',
    ],
    [
      '2020-12',
      1,
      "dynamicRef: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
    ],
    [
      '2020-12',
      1,
      'dynamicRef: An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
    ],
    [
      '2020-12',
      2,
      'dynamicRef: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
    ],
    [
      '2020-12',
      1,
      'dynamicRef: A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor',
    ],
    ['2020-12', 2, 'dynamicRef: multiple dynamic paths to the $dynamicRef keyword'],
    ['2020-12', 3, 'dynamicRef: after leaving a dynamic scope, it is not used by a $dynamicRef'],
    ['2020-12', 1, 'dynamicRef: $dynamicRef points to a boolean schema'],
    ['2020-12', 1, 'dynamicRef: $dynamicRef skips over intermediate resources - direct reference'],
    [
      '2020-12',
      1,
      'optional/dynamicRef: $dynamicRef skips over intermediate resources - pointer reference across resource boundary',
    ],
    ['2020-12', 1, 'unevaluatedItems: unevaluatedItems with $dynamicRef'],
    ['2020-12', 1, 'unevaluatedProperties: unevaluatedProperties with $dynamicRef'],
  ],
  // Ajv does not collect all that unevaluatedItems and unevaluatedProperties need.
  'needs annotations of if and contains': [
    [later, 2, 'unevaluatedItems: unevaluatedItems with nested items'],
    [
      later,
      1,
      'unevaluatedItems: unevaluatedItems can see annotations from if without then and else',
    ],
    [later, 1, 'unevaluatedProperties: unevaluatedProperties with if/then/else, then not defined'],
    [
      later,
      1,
      'unevaluatedProperties: unevaluatedProperties can see annotations from if without then and else',
    ],
    ['2020-12', 1, 'unevaluatedItems: unevaluatedItems depends on adjacent contains'],
    ['2020-12', 1, 'unevaluatedItems: unevaluatedItems depends on multiple nested contains'],
    [
      '2020-12',
      4,
      'unevaluatedItems: unevaluatedItems and contains interact to control item dependency relationship',
    ],
  ],
  // 1e308 / 0.5 is no number.
  'overflows a float': [
    [all, 1, 'optional/float-overflow: all integers are multiples of 0.5, if overflow is handled'],
  ],
}
