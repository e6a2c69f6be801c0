// Runs the steps of .ci/steps.js, two beside each other, and judges: what fails runs once more, alone, when all
// else has ended. What passes then is flaky; what fails twice fails the run.
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { steps } from './steps.js'

const [, , work] = process.argv
const began = performance.now() - Number(process.env.CI_BEGAN ?? 0) * 1000
const secondsSince = (start) => Math.round((performance.now() - start) / 1000)
const say = (text) => process.stdout.write(`${text}\n`)
const fileOf = (name, ending) => join(work, `${name.replaceAll(/\W+/g, '-')}.${ending}`)

const times = []
const failures = []
const flaky = []
const again = []
let passed = 0

const failWith = (name, message) => failures.push(`FAILED ${name}\n${message.slice(-3000)}`)
const passLate = (name, message) => {
  flaky.push(`flaky: ${name}\n${message.slice(0, 1000)}`)
  passed += 1
}

/** Runs a command of the shell. @returns its exit code, its output's last lines, and its seconds */
async function run(name, command, report) {
  const start = performance.now()
  const log = fileOf(name, 'log')
  const file = createWriteStream(log)
  const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
    env: { ...process.env, ...(report && { TEST_REPORT: report }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false })
  const code = await new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve) => file.end(resolve))
  const seconds = secondsSince(start)
  times.push(`${String(seconds).padStart(5)} s  ${name}`)
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  return { code, seconds, end: (count) => lines.slice(-count).join('\n') }
}

/** The tests of a report: how many passed, and those that failed with what was said first. */
function readReport(path) {
  if (!existsSync(path)) return { passed: 0, failed: [] }
  const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
  const failed = testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => ({ file, test: test.fullName, message: test.failureMessages.join('\n') }))
    // It did not get as far as its tests.
    return status === 'failed' && tests.length === 0 ? [{ file, test: '', message }] : tests
  })
  return { passed: numPassedTests, failed }
}

async function first(step) {
  const report = step.again && fileOf(step.name, 'json')
  const { code, seconds, end } = await run(step.name, step.command, report)
  const outcome = code === 0 ? 'passed' : 'FAILED'
  say(`\n== ${step.name}: ${outcome}, ${seconds} s\n${end(code === 0 ? 8 : 60)}`)
  const found = report ? readReport(report) : { passed: code === 0 ? 1 : 0, failed: [] }
  passed += found.passed
  if (code !== 0) again.push({ step, failed: found.failed, message: end(40) })
}

/** Once more, alone: the files of tests that failed, each other step whole. */
async function second({ step, failed, message }) {
  const name = `${step.name}, once more`
  if (!step.again) {
    const { code, end } = await run(name, step.command)
    return code === 0 ? passLate(step.name, message) : failWith(step.name, end(60))
  }
  const files = [...new Set(failed.map(({ file }) => `'${file}'`))]
  if (files.length === 0) return failWith(step.name, message)
  const report = fileOf(name, 'json')
  const { code, end } = await run(name, `${step.again} --maxWorkers=1 ${files.join(' ')}`, report)
  const repeated = readReport(report)
  if (code !== 0 && repeated.failed.length === 0) return failWith(step.name, end(60))
  const isIn = (tests, sought) =>
    tests.some(({ file, test }) => file === sought.file && test === sought.test)
  for (const each of failed) {
    if (!isIn(repeated.failed, each)) passLate(`${each.file} ${each.test}`, each.message)
  }
  for (const each of repeated.failed) failWith(`${each.file} ${each.test}`, each.message)
}

/** As many beside each other as there are processors for, in their order. */
async function runAll() {
  const running = new Map()
  const busy = () => [...running.values()].reduce((sum, { processors = 1 }) => sum + processors, 0)
  for (const step of steps) {
    while (busy() + (step.processors ?? 1) > 2) await Promise.race(running.keys())
    const job = first(step).finally(() => running.delete(job))
    running.set(job, step)
  }
  await Promise.all(running.keys())
}

await runAll()
for (const each of again) await second(each)
const tree = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim()
if (tree !== (process.env.CI_TREE ?? '').trim()) failWith('the tree is as it was', tree)

say(`\n${String(secondsSince(began)).padStart(5)} s  in all, of which\n${times.join('\n')}`)
for (const text of [...flaky, ...failures]) say(`\n${text}`)
say(`\n${flaky.length} flaky\n${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
