export const Similarity = ({ value }: { readonly value: number }) => (
  <span class="similarity">
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" />
      <rect class="bar" width={String(100 * value)} height="6" />
    </svg>
    <span>
      <span class="hidden">similarity </span>
      {value.toFixed(3)}
    </span>
  </span>
)
