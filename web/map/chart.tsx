import { useEffect, useRef, useState } from 'hono/jsx/dom'
import { type Charted, ChartState, zoomStep } from './chart-state.ts'

/**
 * The points of the map. Dragging, the wheel, two fingers and keys move it; a click or an outline
 * selects points.
 */
export function Chart(props: Charted) {
  const state = useRef<ChartState | null>(null)
  const root = useRef<HTMLElement | null>(null)
  const [hasFailed, fail] = useState(false)
  useEffect(() => {
    const { current } = root
    const made = current === null ? undefined : ChartState.make(current, props)
    if (made === undefined) return fail(true)
    state.current = made
    return () => made.end()
  }, [])
  useEffect(() => state.current?.show(props), [props])
  if (hasFailed) {
    return <p class="refusal">The map needs WebGL, which this browser does not provide.</p>
  }
  const button = (label: string, sign: string, act: (state: ChartState) => void) => (
    <button
      type="button"
      aria-label={label}
      onClick={() => state.current !== null && act(state.current)}
    >
      {sign}
    </button>
  )
  return (
    <div class="chart">
      <div
        ref={root}
        class={props.isSelecting ? 'plane selecting' : 'plane'}
        tabindex={0}
        role="application"
        aria-label={`Map of ${props.points.textIds.length} texts: arrow keys move it, plus and minus zoom`}
      >
        <canvas />
        <canvas />
      </div>
      <div class="zoom">
        {button('Zoom in', '+', (chart) => chart.zoom(zoomStep))}
        {button('Zoom out', '−', (chart) => chart.zoom(1 / zoomStep))}
        {button('Show all', '⤢', (chart) => chart.showAll())}
      </div>
    </div>
  )
}
