/** Rounds of each mode; of `bodies` kinds of them, of `crowd` and `soak` there is only one, of `oracle` at least so many. */
export interface Plan {
  readonly rounds: Readonly<Record<ModeName, number>>
  readonly soakMinutes: number
  /** After so long `bodies` tries no more, even if rounds are left. */
  readonly bodiesSeconds: number
  /** Whether `crowd` waits until what is idle was closed, and `sigterm` tries the embedded engine. */
  readonly thorough: boolean
  readonly crowd: CrowdPlan
}

export interface CrowdPlan {
  readonly idle: number
  readonly slow: number
  readonly searches: number
}

export const modeNames = [
  'server',
  'backend',
  'postgres',
  'embedded',
  'commit',
  'sigterm',
  'soak',
  'crowd',
  'servers',
  'citus',
  'oracle',
  'bodies',
  'power',
] as const
export type ModeName = (typeof modeNames)[number]

export const standard: Plan = {
  rounds: {
    server: 200,
    backend: 200,
    postgres: 200,
    embedded: 200,
    commit: 200,
    sigterm: 20,
    soak: 1,
    crowd: 1,
    servers: 30,
    citus: 50,
    oracle: 2,
    bodies: 2_000,
    power: 1_000,
  },
  soakMinutes: 30,
  bodiesSeconds: Number.POSITIVE_INFINITY,
  thorough: true,
  crowd: { idle: 1_000, slow: 100, searches: 2_000 },
}

/** For CI: every mode, together some 8 minutes. */
export const short: Plan = {
  rounds: {
    server: 3,
    backend: 3,
    postgres: 2,
    embedded: 5,
    commit: 10,
    sigterm: 1,
    soak: 1,
    crowd: 1,
    servers: 1,
    citus: 5,
    oracle: 2,
    bodies: 100,
    power: 8,
  },
  soakMinutes: 0.15,
  bodiesSeconds: 35,
  thorough: false,
  crowd: { idle: 300, slow: 50, searches: 200 },
}
