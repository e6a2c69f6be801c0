/** Says on standard error how far something is. */
export const say = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Prints to standard output, and waits until it has been written: the process may then end. An
 * empty write at the end would not wait for the others on Bun.
 */
export const print = (text: string) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
