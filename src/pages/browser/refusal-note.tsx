import type { RefusedCall } from './call.ts'

/** Why something could not be had, in the words of the service. */
export const RefusalNote = ({ refusal }: { readonly refusal: RefusedCall | undefined }) =>
  refusal === undefined ? null : (
    <p class="refusal" role="alert">
      {refusal.message}
    </p>
  )
