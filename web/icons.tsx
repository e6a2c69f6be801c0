// Those of Lucide 1.62, each as one path. Their licences are in icons/LICENSE.
import shapes from './icons/shapes.json' with { type: 'json' }

export type IconName = keyof typeof shapes

/** An icon stands beside words, which say what it means. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class={name === 'busy' ? 'icon busy' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
)
