// npm run kernels: assembles kernels.wat into kernels.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import wabt from 'wabt'

const file = (name) => new URL(name, import.meta.url)
const { parseWat } = await wabt()
const text = readFileSync(file('kernels.wat'), 'utf8')
const { buffer } = parseWat('kernels.wat', text, { relaxed_simd: true }).toBinary({})
const lines = Buffer.from(buffer)
  .toString('base64')
  .match(/.{1,106}/g)
const bytes = `[\n${lines.map((line) => `  '${line}',\n`).join('')}].join('')`
const source = readFileSync(file('kernels.ts'), 'utf8')
writeFileSync(
  file('kernels.ts'),
  source.replace(/\[\n( {2}'.*',\n)+\]\.join\(''\)/, () => bytes),
)
