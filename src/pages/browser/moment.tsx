/** A time of the API, as the clock of whoever reads it says. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>
    {new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
  </time>
)
