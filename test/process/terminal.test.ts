import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { vectorToBase64 } from '../../src/vectors/encoding.ts'
import { unique } from '../support/factories.ts'
import { sampled } from '../support/run/full-run.ts'
import { Program, type Surroundings, semblance, toItsEnd } from '../support/servers/program.ts'
import { request, runtimes } from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { newFolder, preparedSite } from '../support/servers/site.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'

const wholeFile = new URL('../../examples/parallels/gospels.ndjson.gz', import.meta.url)
const soughtVerse = /"(luke-11-2|matthew-6-9|mark-1-1)"/
const allVerses = gunzipSync(readFileSync(wholeFile)).toString().trimEnd().split('\n')
const verses = sampled(
  'verses to import',
  allVerses,
  (line, index) => index % 5 === 0 || soughtVerse.test(line),
)
const count = verses.length.toLocaleString('en-US')
const ofJohn = verses.filter((line) => line.includes('"book":"John"')).length

/** The path of a file of them. */
async function fileOfVerses(folder: string): Promise<string> {
  if (verses === allVerses) return fileURLToPath(wholeFile)
  const file = join(folder, 'gospels.ndjson.gz')
  await writeFile(file, gzipSync(verses.map((line) => `${line}\n`).join(''), { level: 1 }))
  return file
}

/** Each starts many processes. */
const walks = sampled(
  'walks in a terminal',
  [
    'login',
    'import',
    'interrupted import',
    'conflicts',
    'dry run',
    'formats',
    'broken files',
    'encodings',
    'control characters',
    'full disk',
    'interrupted export',
    'keys',
    'wrong words',
  ],
  (_, index) => index < 3 || index % 4 === 0,
)
const everyThird = (_: unknown, index: number) => index % 3 === 0

const good = { exit: 0, stderr: '' }
/** The same for what may take its time: on a slow machine it says how far it is. */
const goodInTime = { exit: 0, stderr: expect.stringMatching(/^([\d,]+ embeddings, [^\n]*\n)*$/) }

interface Line {
  readonly text_id: string
  readonly vector: readonly number[] | string
  readonly [more: string]: unknown
}
const lines = (items: readonly Line[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('')

/** A file of NumPy's, as its format is described. */
function npy(descr: string, shape: readonly number[], bytes: Buffer): Buffer {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }\n`
  const head = Buffer.from(`\u0093NUMPY\u0001\u0000..${text}`, 'latin1')
  head.writeUInt16LE(text.length, 8)
  return Buffer.concat([head, bytes])
}

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`in a terminal (${runtime.name})`, () => {
    const running = sharedServer(runtime, preparedSite)

    /** A new user in a folder of the user's own, who is logged in. */
    async function newUser() {
      const server = running()
      const user = unique('user')
      const { body } = await request(server, 'PUT', `/v1/users/${user}`, {})
      expect(body).toMatchObject({ user_handle: user })
      const key = typeof body === 'object' && body !== null && 'api_key' in body ? body.api_key : ''
      const folder = await newFolder()
      const env = { SEMBLANCE_URL: server.url, XDG_CONFIG_HOME: join(folder, 'config') }
      const at = { folder, env }
      const run = (args: string[], more: Partial<Surroundings> = {}) =>
        toItsEnd(semblance(runtime, args, { ...at, ...more }))
      const login = await run(['login'], { input: { text: `${key}\n` } })
      expect(login).toMatchObject(good)
      expect(login.stdout).toContain(`as ${user}.`)
      const countOf = async (project: string) => {
        const answer = await request(server, 'GET', `/v1/projects/${user}/${project}`)
        const found = answer.body
        return typeof found === 'object' && found !== null && 'embedding_count' in found
          ? found.embedding_count
          : undefined
      }
      return { user, folder, at, run, countOf }
    }

    it.runIf(walks.includes('login'))(
      'keeps the key for its owner alone, and says whose it is',
      async () => {
        const { user, folder, run } = await newUser()
        const file = join(folder, 'config/semblance/login.json')
        expect((await stat(file)).mode & 0o777).toBe(0o600)
        const status = await run(['status'])
        expect(status).toMatchObject(good)
        expect(status.stdout).toContain(`key      ${user}, by ${file}\n`)
        const { hostname, port } = new URL(running().url)
        const server = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
        const proxy = await TcpProxy.to(server, () => () => 'pass')
        onTestFinished(() => proxy.close())
        const elsewhere = await run(['status', '--url', `http://127.0.0.1:${proxy.port}`])
        expect(elsewhere.stdout, 'its key is for one server').toContain('key      none')
        await chmod(file, 0o640)
        const open = await run(['status'])
        expect(open).toMatchObject({ exit: 1, stdout: '' })
        expect(open.stderr).toContain(`${file} can be read by others;`)
        const wrong = await run(['login'], { input: { text: 'not-a-key' } })
        expect(wrong).toMatchObject({
          exit: 1,
          stderr: expect.stringContaining('401 Unauthorized'),
        })
      },
    )

    it.runIf(walks.includes('import'))(
      'imports a file once, searches in it, deletes from it',
      async () => {
        const { user, folder, run } = await newUser()
        const gospels = await fileOfVerses(folder)
        const refused = await run(['import', 'verses', gospels])
        expect(refused).toMatchObject({ exit: 1, stdout: '' })
        expect(refused.stderr).toContain(`project ${user}/verses is not there; with --model NAME`)
        const model = ['--model', 'all-MiniLM-L6-v2']
        const dry = await run(['import', 'verses', gospels, ...model, '--dry-run'])
        expect(dry.stdout).toMatch(
          new RegExp(`^${count} embeddings of \\S+ would be uploaded; nothing was sent\n$`),
        )
        expect((await run(['projects'])).stdout).toContain('There is no project')
        const asked = ['--text-queries', 'members']
        const first = await run(['import', 'verses', gospels, ...model, ...asked])
        const told = `${count} embeddings uploaded to ${user}/verses, 0 there already\n`
        expect(first).toEqual({ ...goodInTime, stdout: told })
        const again = await run(['import', `${user}/verses`, gospels, ...model])
        expect(again.stdout).toBe(
          `0 embeddings uploaded to ${user}/verses, ${count} there already\n`,
        )
        const made = await request(running(), 'GET', `/v1/projects/${user}/verses`)
        expect(made.body).toMatchObject({ text_queries: 'members' })
        const others = ['--text-queries', 'somebody']
        expect(await run(['import', 'words', gospels, ...model, ...others])).toMatchObject({
          exit: 2,
          stderr: expect.stringContaining('--text-queries must be off, members or everybody'),
        })
        expect((await run(['projects'])).stdout).toMatch(
          new RegExp(`\n${user}/verses +owner +${count} +384 +all-MiniLM-L6-v2\n$`),
        )

        const found = await run(['search', 'verses', 'luke-11-2', '-k', '1'])
        expect(found).toMatchObject(good)
        expect(found.stdout).toMatch(
          /^similarity +text_id +text\n0\.7760 +matthew-6-9 +After this manner/,
        )
        const query = ['--filter', '{"ref.book": "Mark"}', '--threshold', '0.99', '--json']
        const none = await run(['search', 'verses', 'luke-11-2', ...query])
        expect(none.stderr).toBe('semblance: 10 more are below the threshold of 0.99\n')
        expect(JSON.parse(none.stdout)).toMatchObject({ results: [] })
        const nearest = await run(['neighbours', 'verses', '-k', '1', '--different', 'ref.book'])
        expect(nearest.stdout.split('\n')).toHaveLength(verses.length + 1)

        const john = ['delete', 'verses', '--filter', '{"ref.book": "John"}']
        const doubted = await run(john)
        expect(doubted).toMatchObject({ exit: 2, stdout: '' })
        expect(doubted.stderr).toContain(`${ofJohn} embeddings of`)
        expect(await run([...john, '--yes'])).toEqual({
          ...good,
          stdout: `${ofJohn} embeddings deleted\n`,
        })
        const restored = await run(['import', 'verses', gospels])
        expect(restored.stdout).toContain(`${ofJohn} embeddings uploaded`)
        const two = await run(['delete', 'verses', 'mark-1-1', 'gone', '--yes'])
        expect(two).toMatchObject({ exit: 1, stdout: '1 embedding deleted\n' })
        expect(two.stderr).toContain("'gone' is not there")
      },
    )

    it.runIf(walks.includes('interrupted import'))('goes on where it was stopped', async () => {
      const { user, folder, at, run, countOf } = await newUser()
      const items = Array.from({ length: 5000 }, (_, n) => ({
        text_id: `n${n}`,
        vector: [1, n, 2],
      }))
      await writeFile(join(folder, 'all.jsonl'), lines(items))
      const input = { text: lines(items.slice(0, 4500)), staysOpen: true } as const
      const args = ['import', 'numbers', '-', '--model', 'Three numbers!']
      const stopped = semblance(runtime, args, { ...at, input })
      while ((await countOf('numbers')) !== 4000) await new Promise((next) => setTimeout(next, 50))
      stopped.signal('SIGINT')
      expect(await stopped.exit).toBe(130)
      const rest = await run(['import', 'numbers', 'all.jsonl'])
      const told = `1,000 embeddings uploaded to ${user}/numbers, 4,000 there already\n`
      expect(rest).toEqual({ ...goodInTime, stdout: told })
    })

    it.runIf(walks.includes('conflicts'))(
      'replaces what differs, and says what it does not store',
      async () => {
        const { user, folder, run } = await newUser()
        const file = join(folder, 'some.ndjson')
        const metadata = { ж: [1.5, true, null], a: { b: 'c' } }
        await writeFile(
          file,
          lines([
            { text_id: 'a', vector: [1, 2, 3], text: 'A', metadata },
            { text_id: 'b', vector: vectorToBase64(Float32Array.of(1, 0, 0)), meta: 1 },
          ]),
        )
        const args = ['import', 'some', file, '--model', 'm', '--on-conflict', 'replace']
        const first = await run(args)
        expect(first.stderr).toBe('semblance: not stored: meta\n')
        await writeFile(
          file,
          lines([
            { text_id: 'a', vector: [1, 2, 3], text: 'A', metadata },
            { text_id: 'b', vector: [0, 1, 0] },
          ]),
        )
        const told = `0 embeddings uploaded to ${user}/some, 1 replaced, 1 there already\n`
        expect(await run(args)).toEqual({ ...goodInTime, stdout: told })
        const strict = await run(['import', 'some', file, '--on-conflict', 'error'])
        expect(strict).toMatchObject({ exit: 1, stdout: '' })
        expect(strict.stderr).toContain("Embedding 'a' already exists")
      },
    )

    it.runIf(walks.includes('dry run'))(
      'tells the first line that is wrong, and with --dry-run all of them',
      async () => {
        const { folder, run } = await newUser()
        const file = join(folder, 'bad.ndjson')
        const bad = [
          '{"text_id": "a", "vector": [1, 2]}',
          '{"text_id": "b", "vector": [1, 2, 3]}',
          'nonsense',
          '{"text_id": "c", "vector": [1, 1e39]}',
          '{"text_id": "d", "vector": [0, 0]}',
          '{"text_id": "", "vector": [1, 2]}',
          '{"text_id": "e", "vector": [1, 2], "metadata": []}',
        ]
        await writeFile(file, bad.join('\n'))
        const refused = await run(['import', 'bad', file, '--model', 'm'])
        const second = `semblance: ${file}, line 2: the vector has 3 elements, not 2 as the first (text_id 'b')\n`
        expect(refused).toEqual({ exit: 1, stdout: '', stderr: second })
        expect((await run(['projects'])).stdout, 'nothing was made').toContain(
          'There is no project',
        )
        const dry = await run(['import', 'bad', file, '--model', 'm', '--dry-run'])
        expect(dry.exit).toBe(1)
        const numbers = [...dry.stderr.matchAll(/, line (\d): /g)].map(([, number]) =>
          Number(number),
        )
        expect(numbers).toEqual([2, 3, 4, 5, 6, 7])

        await writeFile(file, '{"text_id": "a", "vector": [1, 2]}')
        await run(['import', 'two', file, '--model', 'm'])
        await writeFile(file, '{"text_id": "b", "vector": [1, 2, 3]}')
        const other = await run(['import', 'two', file])
        expect(other.stderr).toContain('line 1: the vector has 3 elements, not 2 as the project')
        const model = await run(['import', 'two', file, '--model', 'n'])
        expect(model.stderr).toContain('is of the model m, not n')
      },
    )

    it.runIf(walks.includes('formats'))(
      'imports CSV with vectors of NumPy, Parquet, and semblance files, and exports them',
      async () => {
        const { user, folder, run } = await newUser()
        const at = (name: string) => join(folder, name)
        await writeFile(
          at('a.csv'),
          '\ufefftext_id,text,ref.chapter,code\r\nx,"a, ""b""\r\nc",12,007\r\ny,,,\r\n',
        )
        const vectors = Buffer.from(Float64Array.of(1, 0.5, -2, 4).buffer)
        await writeFile(at('a.npy'), npy('<f8', [2, 2], vectors))
        const csv = ['import', 'csv', at('a.csv'), '--vectors', at('a.npy'), '--model', 'm']
        expect((await run(csv)).stdout).toBe(
          `2 embeddings uploaded to ${user}/csv, 0 there already\n`,
        )
        const half = Buffer.from(Uint16Array.of(0x3c00, 0x3800, 0xc000, 0x4400).buffer)
        await writeFile(at('a.npy'), npy('<f2', [2, 2], half))
        const same = await run([...csv, '--on-conflict', 'replace'])
        expect(same.stdout, 'the same in half precision').toContain('0 embeddings uploaded')
        await writeFile(
          at('a.npy'),
          npy('<f4', [1, 2], Buffer.from(Float32Array.of(1, 0.5).buffer)),
        )
        expect((await run(csv)).stderr).toContain('there are 2 rows and 1 vectors')

        const exported = await run(['export', 'csv'])
        const [x, y] = exported.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
        expect(x).toMatchObject({
          text: 'a, "b"\r\nc',
          metadata: { ref: { chapter: 12 }, code: '007' },
        })
        expect([x.vector, y.vector, y.text]).toEqual([[1, 0.5], [-2, 4], undefined])

        const files = ['a.ndjson', 'a.parquet', 'a.semblance']
        for (const file of files) {
          const format = file.slice(2)
          expect(await run(['export', 'csv', '-o', at(file)])).toMatchObject(good)
          const model = format === 'semblance' ? [] : ['--model', 'm']
          const copy = await run(['import', format, at(file), ...model])
          expect(copy.stderr).toBe('')
          expect(copy.stdout).toContain('2 embeddings')
        }
        const lost = /"created_at":"[^"]*",?/g
        const [original, ...copies] = await Promise.all(
          ['csv', 'ndjson', 'parquet', 'semblance'].map(async (project) => {
            const { stdout } = await run(['export', project, '--format', 'semblance'])
            return stdout.replace(lost, '').replace(/.*\n$/, '').replaceAll(lost, '')
          }),
        )
        for (const copy of copies) expect(copy).toBe(original)
        const whole = await run(['export', 'semblance', '--format', 'semblance'])
        expect(whole.stdout).toBe(await readFile(at('a.semblance'), 'utf8'))
        const dry = await run(['import', 'other', at('a.semblance'), '--dry-run'])
        expect(dry).toMatchObject(good)
        await writeFile(at('a.semblance'), whole.stdout.replace('007', '008'))
        const broken = await run(['import', 'other', at('a.semblance'), '--dry-run'])
        expect(broken.stderr).toContain('its SHA-256 is not the one that its last line says')

        expect(await run(['delete', 'csv', '--all', '--yes'])).toMatchObject(good)
        for (const file of ['none.jsonl', ...files]) {
          expect(await run(['export', 'csv', '-o', at(file)]), file).toMatchObject(good)
        }
        expect(await readFile(at('none.jsonl'), 'utf8')).toBe('')
        expect(await readFile(at('a.parquet'), 'latin1')).toMatch(/^PAR1.*PAR1$/s)
        expect(await run(['export', 'csv'])).toEqual({ ...good, stdout: '' })
      },
    )

    it.each([
      'zstd',
      'gzip',
      'brotli',
    ])('imports Parquet in %s, as polars and pandas write it', async (codec) => {
      const { run } = await newUser()
      const file = `test/fixtures/two-rows.${codec}.parquet`
      const imported = await run(['import', codec, resolve(file), '--model', 'm'])
      expect(imported).toMatchObject({ exit: 0, stderr: '' })
      const { stdout } = await run(['export', codec])
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(rows).toMatchObject([
        { text_id: 'x', text: 'a', vector: [1, 0.5], metadata: { ref: { chapter: 12 } } },
        { text_id: 'y', vector: [-2, 4] },
      ])
    })

    it.runIf(walks.includes('broken files'))(
      'says in a line what is wrong with a file',
      async () => {
        const { folder, run } = await newUser()
        const at = (name: string) => join(folder, name)
        await writeFile(at('a.npy'), npy('<i8', [1, 2], Buffer.alloc(16)))
        await writeFile(at('a.csv'), 'text_id,text\na,"b')
        await writeFile(at('b.csv'), 'id,text\na,b\n')
        for (const name of ['a.ndjson.gz', 'a.parquet', 'a.semblance']) {
          await writeFile(at(name), 'this is none, but long enough')
        }
        const told: [args: string[], RegExp][] = [
          [['a.csv', '--vectors', at('a.npy')], /Quote Not Closed/],
          [['b.csv', '--vectors', at('a.npy')], /no column text_id among id, text/],
          [['a.ndjson.gz'], /incorrect header check/i],
          [['a.parquet'], /is no Parquet file/],
          [['a.semblance'], /400 Bad Request: line 1/],
          [['gone.ndjson'], /ENOENT/],
        ]
        for (const [[name = '', ...flags], reason] of told) {
          const model = name.includes('.semblance') ? [] : ['--model', 'm']
          const args = ['import', 'some', at(name), ...flags, ...model]
          const { exit, stderr } = await run(args)
          expect(exit, name).toBe(1)
          expect(stderr).toMatch(/^semblance: [^\n]+\n$/)
          expect(stderr).toMatch(reason)
        }
        await writeFile(at('b.csv'), 'text_id,text\na,b\n')
        const whole = await run([
          'import',
          'some',
          at('b.csv'),
          '--vectors',
          at('a.npy'),
          '--model',
          'm',
        ])
        expect(whole.stderr).toContain('in C order: its type is <i8')
      },
    )

    it.runIf(walks.includes('encodings'))(
      'refuses what is no UTF-8, rather than store something else',
      async () => {
        const { folder, run, countOf } = await newUser()
        const at = (name: string) => join(folder, name)
        const latin1 =
          '{"text_id":"caf\u00e9","vector":[1]}\n{"text_id":"caf\u00e8","vector":[2]}\n'
        await writeFile(at('a.ndjson'), latin1, 'latin1')
        await writeFile(at('a.csv'), 'text_id\ncaf\u00e9\n', 'latin1')
        await writeFile(at('b.csv'), 'text_id,sec,sec\na,1,2\n')
        await writeFile(at('a.npy'), npy('<f4', [1, 1], Buffer.from(Float32Array.of(1).buffer)))
        const vectors = ['--vectors', at('a.npy')]
        const told: [args: string[], RegExp][] = [
          [[at('a.ndjson')], /line 1: no JSON: .*(encoded|valid|UTF)/i],
          [[at('a.csv'), ...vectors], /not UTF-8/],
          [[at('b.csv'), ...vectors], /two columns 'sec'/],
        ]
        for (const [args, reason] of told) {
          const { exit, stderr } = await run(['import', 'some', ...args, '--model', 'm'])
          expect([exit, stderr]).toEqual([1, expect.stringMatching(reason)])
        }
        expect(await countOf('some')).toBeUndefined()
      },
    )

    it.runIf(walks.includes('control characters'))(
      'shows nothing that would steer the terminal',
      async () => {
        const { folder, run } = await newUser()
        const steering = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\n'
        const items = [1, 2].map((at) => ({
          text_id: `${at}${steering}`,
          vector: [at],
          text: steering,
        }))
        await writeFile(join(folder, 'a.ndjson'), lines(items))
        await run(['import', 'some', join(folder, 'a.ndjson'), '--model', 'm'])
        const found = await run(['search', 'some', `1${steering}`])
        const missing = await run(['search', 'some', `3${steering}`])
        expect(found).toMatchObject(good)
        expect([found.stdout.split('\n').length, missing.exit]).toEqual([3, 1])
        expect(found.stdout + missing.stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
      },
    )

    it.runIf(walks.includes('full disk'))('says so when its output cannot be written', async () => {
      const { folder, run } = await newUser()
      const { exit, stderr } = await run(['export', 'gone', '-o', '/'])
      expect([exit, stderr]).toEqual([1, expect.stringContaining('semblance: ')])
      await run(['import', 'verses', await fileOfVerses(folder), '--model', 'm'])
      expect(await run(['export', 'verses', '-o', '/'])).toMatchObject({
        exit: 1,
        stderr: 'semblance: / is a folder\n',
      })
      const full = await run(['export', 'verses', '-o', '/dev/full'])
      expect([full.exit, full.stderr]).toEqual([1, expect.stringContaining('ENOSPC')])
      expect((await stat('/dev/full')).isCharacterDevice()).toBe(true)
    })

    it.runIf(walks.includes('interrupted export'))(
      'leaves no file of an export that broke off',
      async () => {
        const { folder, run } = await newUser()
        const server = createServer((_, response) => {
          response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
          response.write('{"text_id": "a"}\n', () => response.destroy())
        })
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        onTestFinished(() => void server.close())
        const address = server.address()
        const port = typeof address === 'object' ? address?.port : 0
        const args = [
          'export',
          'a/b',
          '-o',
          join(folder, 'a.ndjson'),
          '--url',
          `http://127.0.0.1:${port}`,
        ]
        const outcome = await run(args)
        expect(outcome).toMatchObject({ exit: 1, stdout: '' })
        expect(outcome.stderr).toContain('the export broke off')
        expect(await readdir(folder)).toEqual(['config'])
      },
    )

    it.runIf(walks.includes('keys'))(
      'gives keys, and tells the administrator who has what',
      async () => {
        const { user, folder, run } = await newUser()
        const keyFile = join(folder, 'new.key')
        const login = join(folder, 'config/semblance/login.json')
        const before = await readFile(login, 'utf8')
        expect((await run(['keys', 'rotate'])).stdout).toBe(`The key of ${user} is in ${login}\n`)
        expect(await readFile(login, 'utf8')).not.toBe(before)
        expect(await run(['status'])).toMatchObject({
          ...good,
          stdout: expect.stringContaining(user),
        })
        expect(await run(['users'])).toMatchObject({ exit: 1, stdout: '' })

        await run(['import', 'verses', await fileOfVerses(folder), '--model', 'm'])
        const limits = ['--name', 'notebook', '--projects', 'verses', '--expires', '2099-01-31']
        expect(await run(['keys', 'create', ...limits])).toMatchObject({ exit: 2, stdout: '' })
        const issued = await run(['keys', 'create', ...limits, '-o', keyFile])
        expect(issued.stdout).toBe(`The key notebook of ${user} is in ${keyFile}\n`)
        expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
        const listed = await run(['keys', 'list'])
        expect(listed.stdout).toContain(
          `notebook  read    2099-01-31T00:00  never      ${user}/verses`,
        )
        expect(await run(['projects', '--key-file', keyFile])).toMatchObject(good)
        const refused = await run(['delete', 'verses', '--all', '--yes', '--key-file', keyFile])
        expect(refused).toMatchObject({ exit: 1, stdout: '' })
        const old = await readFile(keyFile, 'utf8')
        const replaced = await run(['keys', 'rotate', '--name', 'notebook', '-o', keyFile])
        expect(replaced.stdout).toBe(issued.stdout)
        expect(await readFile(keyFile, 'utf8')).not.toBe(old)
        expect(await run(['projects', '--key-file', keyFile])).toMatchObject(good)
        const revoked = await run(['keys', 'revoke', '--name', 'notebook'])
        expect(revoked.stdout).toBe(`Key '${user}/notebook' revoked\n`)

        const asAdmin = { env: { SEMBLANCE_URL: running().url, SEMBLANCE_KEY: running().key } }
        expect(await run(['keys', 'create', user], asAdmin)).toMatchObject({ exit: 2, stdout: '' })
        const made = await run(['keys', 'create', user, '-o', keyFile], asAdmin)
        expect(made.stdout).toBe(`The key of ${user} is in ${keyFile}\n`)
        expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
        expect(await run(['status', '--key-file', keyFile])).toMatchObject(good)
        const users = await run(['users', '--bytes'], asAdmin)
        const [, bytes = ''] =
          new RegExp(`\n${user} +1 +${count} +([0-9,]+)\n`).exec(users.stdout) ?? []
        const ofEach = Number(bytes.replaceAll(',', '')) / verses.length
        expect(ofEach).toBeGreaterThan(1_500)
        expect(ofEach).toBeLessThan(2_000)
      },
    )

    it.runIf(walks.includes('wrong words'))(
      'says what is wrong with a command line, with exit code 2',
      async () => {
        const { run } = await newUser()
        const wrong = [
          ['search'],
          ['search', 'verses'],
          ['search', 'verses', 'a', '--filter', 'no JSON'],
          ['search', 'verses', 'a', '--lmit', '3'],
          ['import', 'verses', 'a.csv'],
          ['export', 'verses', '--format', 'xml'],
          ['export', 'verses', '--format', 'ndjson', '-o', 'a.Parquet'],
          ['delete', 'verses'],
          ['delete', 'verses', '--all', '--yes', '--dry-run=1'],
          ['import', '../verses', 'a.ndjson'],
          ['import', 'verses', 'a.semblance', '--on-conflict', 'replace'],
          ['status', '--url', 'nowhere'],
          ['login', '--url', `${running().url}/#`],
          ['status', '--url', 'http://ann:secret@localhost:1'],
          ['completion'],
        ]
        for (const args of sampled('wrong command lines', wrong, everyThird)) {
          const { exit, stderr } = await run(args)
          expect(exit, args.join(' ')).toBe(2)
          expect(stderr).toMatch(/^semblance: [^\n]+\n$/)
          expect(stderr).not.toContain('secret')
        }
      },
    )
  })
}

it('completes command lines in bash', async () => {
  const [node] = runtimes
  if (node === undefined) throw new Error('there is no runtime')
  const { stdout } = await toItsEnd(
    semblance(node, ['completion', 'bash'], { folder: await newFolder(), env: {} }),
  )
  const complete = async (...words: string[]) => {
    const script = `${stdout}COMP_WORDS=(semblance "$@") COMP_CWORD=$#; _semblance; echo "\${COMPREPLY[@]}"`
    const args = ['-c', script, 'bash', ...words]
    const at = { folder: await newFolder(), env: {} }
    return (await toItsEnd(new Program('bash', args, at))).stdout
  }
  expect(await complete('se')).toBe('serve search\n')
  expect(await complete('search', '--f')).toBe('--filter\n')
  expect(await complete('search', 'x')).toBe('\n')
})
