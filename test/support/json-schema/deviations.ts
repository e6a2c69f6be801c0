/*
 * Where the validator departs from the official tests on purpose, or as its libraries do: how many tests of a file
 * come out differently in each draft.
 */
const table = `
draft-07 2019-09 2020-12 file

# Nothing is fetched: a reference to what would have to be leads to the schema itself, or is refused.
       2       3       1 optional/cross-draft
      23      31      31 refRemote

# $schema names a draft, and vocabularies cannot be chosen by a meta-schema of one's own.
       0       5       5 vocabulary
       0       0       4 optional/format-assertion

# Keywords about the content of strings annotate only, as in the later drafts.
       4       0       0 optional/content

# Ajv passes over a property named __proto__ in properties; required and patterns see it.
       1       1       1 properties

# Keywords beside $ref count in draft-07, as in the later drafts. In those, an embedded $id that refers into itself is
# refused, since Ajv follows it without end.
       3       8       8 ref

# Ajv takes an $id below an unknown keyword for an identifier, so that two are refused.
       3       3       3 optional/unknownKeyword

# Ajv resolves $dynamicRef and $recursiveRef by a simpler rule, without the whole dynamic scope; what is remote is not
# fetched either.
       0       0      31 dynamicRef
       0       0       1 optional/dynamicRef
       0       2       0 recursiveRef

# Ajv does not collect all annotations of if, contains and $dynamicRef for these.
       0       3      10 unevaluatedItems
       0       2       3 unevaluatedProperties

# 1e308 / 0.5 is no number: a float overflows.
       1       1       1 optional/float-overflow
`

/** How many tests of a file come out differently, by draft and file as in `suiteGroups`. */
export const deviations: ReadonlyMap<string, number> = new Map(
  [...table.matchAll(/^ +(\d+) +(\d+) +(\d+) (\S+)$/gm)].flatMap(([, first, second, third, file]) =>
    Object.entries({ 'draft-07': first, '2019-09': second, '2020-12': third })
      .map(([draft, tests]) => [`${draft} ${file}`, Number(tests)] as const)
      .filter(([, tests]) => tests > 0),
  ),
)
