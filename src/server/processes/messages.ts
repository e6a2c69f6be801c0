import type { Config } from '../../config/config.ts'
import type { OwnFigures } from '../../service/siblings.ts'

/** What a worker process tells the primary one. */
export type FromWorker =
  | { readonly is: 'started' }
  | { readonly is: 'listening'; readonly url: string }
  /** The message of a StartupError. */
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'figures wanted'; readonly id: number }
  | { readonly is: 'own figures'; readonly id: number; readonly figures: OwnFigures }
  | { readonly is: 'request'; readonly id: number; readonly userId: number }

/** What the primary process tells a worker. */
export type FromPrimary =
  /** The keys are in it; what joins the two processes is open to nobody else. */
  | { readonly is: 'settings'; readonly config: Config }
  | { readonly is: 'own figures wanted'; readonly id: number }
  | { readonly is: 'figures'; readonly id: number; readonly figures: readonly OwnFigures[] }
  /** How long to wait for leave, in milliseconds; absent where there is leave now. */
  | { readonly is: 'leave'; readonly id: number; readonly waitMs?: number }
