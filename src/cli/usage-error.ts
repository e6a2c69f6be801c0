import { StartupError } from '../errors.ts'

/** A command line that asks for nothing that could be done. */
export class UsageError extends StartupError {}
