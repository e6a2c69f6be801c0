// Runs the steps of .ci/steps.js, two beside each other, and judges: what fails runs once more, alone, when all
// else has ended. What passes then is flaky; what fails twice fails the run.
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseGroup, groups, stepsOfEachRun } from './steps.js'

const [, , work] = process.argv
const began = performance.now() - Number(process.env.CI_BEGAN ?? 0) * 1000
const say = (text) => process.stdout.write(`${text}\n`)
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()

/**
 * What the last run that passed on this machine has left: its number and its commit, the run that has last tried each
 * group of steps, and the groups that were concerned and put off. A run that fails leaves it as it is, so that the
 * next one tries the same.
 */
const stateFile = '/var/tmp/semblance-ci.json'
const last = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : {}
/** A turn that was asked for changes nothing for the runs after it. */
const { TEST_TURN: asked } = process.env
const isAsked = /^\d+$/.test(asked ?? '')
const turn = isAsked ? Number(asked) : (last.turn ?? Number(git('rev-list', '--count', 'HEAD'))) + 1

function changedFiles() {
  const isKnown = (commit = '') => {
    try {
      return git('cat-file', '-t', commit) === 'commit'
    } catch {
      return false
    }
  }
  const base = isKnown(last.commit)
    ? last.commit
    : git('rev-list', '-1', '--before=1 day ago', 'HEAD')
  const empty = git('hash-object', '-t', 'tree', '/dev/null')
  return git('diff', '--name-only', base || empty, 'HEAD')
    .split('\n')
    .filter(Boolean)
}
const changed = changedFiles()
const hasChanged = (path) => changed.some((file) => file === path || file.startsWith(`${path}/`))
const concerned = groups
  .filter(({ name, concerns }) => last.putOff?.includes(name) || concerns.some(hasChanged))
  .map(({ name }) => name)
const group = isAsked ? chooseGroup(turn, {}, []) : chooseGroup(turn, last.tried ?? {}, concerned)
const putOff = concerned.filter((name) => name !== group?.name)

/** Runs a command of the shell. @returns its exit code, its output's file, and its seconds */
async function run(name, command, report) {
  const start = performance.now()
  const log = join(work, `${name.replaceAll(/\W+/g, '-')}.log`)
  const file = createWriteStream(log)
  const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
    env: { ...process.env, TEST_TURN: String(turn), ...(report && { TEST_REPORT: report }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false })
  const code = await new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve) => file.end(resolve))
  return { code, log, seconds: Math.round((performance.now() - start) / 1000) }
}

const endOf = (log, lines) =>
  readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')

/** The tests of a report: how many passed, and those that failed with what was said first. */
function readReport(path) {
  if (!existsSync(path)) return { passed: 0, failed: [] }
  const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
  const failed = testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    // It did not get as far as its tests.
    if (status === 'failed' && tests.length === 0) return [{ file, test: '', message }]
    return tests.map((test) => ({
      file,
      test: test.fullName,
      message: test.failureMessages.join('\n'),
    }))
  })
  return { passed: numPassedTests, failed }
}

const times = []
const failures = []
const flaky = []
const again = []
let passed = 0

async function first(step) {
  const report = step.again && join(work, `${step.name.replaceAll(/\W+/g, '-')}.json`)
  const { code, log, seconds } = await run(step.name, step.command, report)
  times.push(`${String(seconds).padStart(5)} s  ${step.name}`)
  say(
    `\n== ${step.name}: ${code === 0 ? 'passed' : 'FAILED'}, ${seconds} s\n${endOf(log, code === 0 ? 8 : 60)}`,
  )
  const found = report ? readReport(report) : { passed: code === 0 ? 1 : 0, failed: [] }
  passed += found.passed
  if (code !== 0) again.push({ step, found, message: endOf(log, 40) })
}

const failWith = (name, message) => failures.push(`FAILED ${name}\n${message.slice(-3000)}`)
const isFlaky = (name, message) => flaky.push(`flaky: ${name}\n${message.slice(0, 1000)}`)

/** Once more, alone: the files of tests that failed, each other step whole. */
async function second({ step, found, message }) {
  const files = [...new Set(found.failed.map(({ file }) => file))]
  if (step.again && files.length === 0) return failWith(step.name, message)
  const report = step.again && join(work, 'again.json')
  const command = step.again
    ? `${step.again} --maxWorkers=1 ${files.map((file) => `'${file}'`).join(' ')}`
    : step.command
  const { code, log, seconds } = await run(`${step.name} again`, command, report)
  times.push(`${String(seconds).padStart(5)} s  ${step.name}, once more`)
  if (!step.again) {
    if (code !== 0) return failWith(step.name, endOf(log, 60))
    passed += 1
    return isFlaky(step.name, message)
  }
  const repeated = readReport(report)
  if (code !== 0 && repeated.failed.length === 0) return failWith(step.name, endOf(log, 60))
  for (const { file, test, message } of found.failed) {
    const same = repeated.failed.find((each) => each.file === file && each.test === test)
    if (same === undefined) {
      isFlaky(`${file} ${test}`, message)
      passed += 1
    } else failWith(`${file} ${test}`, `${message}\nOnce more, alone:\n${same.message}`)
  }
  for (const { file, test, message } of repeated.failed) {
    if (!found.failed.some((each) => each.file === file && each.test === test))
      failWith(`${file} ${test}`, message)
  }
}

/** As many beside each other as there are processors for, in their order. */
async function runAll(steps) {
  const running = new Map()
  const busy = () => [...running.values()].reduce((sum, { processors = 1 }) => sum + processors, 0)
  for (const step of steps) {
    while (busy() + (step.processors ?? 1) > 2) await Promise.race(running.keys())
    const job = first(step).finally(() => running.delete(job))
    running.set(job, step)
  }
  await Promise.all(running.keys())
}

mkdirSync(work, { recursive: true })
say(`Turn ${turn} (TEST_TURN=${turn}), ${changed.length} files changed since CI last passed here`)
say(`Besides what each run tries: ${group?.name ?? 'nothing'}`)
for (const name of putOff) say(`due, put off to a run after this one: ${name}`)
const steps = [...(group?.steps ?? []), ...stepsOfEachRun(turn, group)]
// So that nothing waits for both processors while other steps are left that need but one.
await runAll(steps.toSorted((a, b) => (a.processors ?? 1) - (b.processors ?? 1)))
for (const each of again) await second(each)
const tree = git('status', '--porcelain')
if (tree !== (process.env.CI_TREE ?? '').trim()) failWith('the tree is as it was', tree)

say(
  `\n${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s  in all, of which\n${times.join('\n')}`,
)
for (const text of [...flaky, ...failures]) say(`\n${text}`)
say(`\n${flaky.length} flaky`)
if (failures.length === 0 && !isAsked) {
  const tried = { ...last.tried, ...(group && { [group.name]: turn }) }
  const commit = git('rev-parse', 'HEAD')
  writeFileSync(stateFile, JSON.stringify({ turn, commit, tried, putOff }))
}
say(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
