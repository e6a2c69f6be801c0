/** Shows a time of the API in the reader's time zone. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>
    {new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
  </time>
)
