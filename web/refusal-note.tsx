import type { RefusedCall } from './call.ts'

/** Shows the service's message about a failed call. */
export const RefusalNote = ({ refusal }: { readonly refusal: RefusedCall | undefined }) =>
  refusal === undefined ? null : (
    <p class="refusal" role="alert">
      {refusal.message}
    </p>
  )
