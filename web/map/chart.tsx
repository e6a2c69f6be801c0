import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { Button, Notice } from '../elements.tsx'
import { type Charted, createChart } from './chart-state.ts'
import { zoomStep } from './gestures.ts'
import { createPointRenderer } from './point-renderer.ts'
import { Reading, type ReadingProps } from './reading.tsx'

type Props = Omit<Charted, 'hover' | 'choose'> & Pick<ReadingProps, 'chosen' | 'near' | 'choose'>

/** Dragging, the wheel, two fingers and keys move the map; a click or an outline selects points. */
export function Chart({ chosen, near, choose, ...props }: Props) {
  const state = useRef<ReturnType<typeof createChart> | null>(null)
  const root = useRef<HTMLElement | null>(null)
  const [hasFailed, fail] = useState(false)
  // Here, so that nothing else is rendered anew when the pointer moves.
  const [pointed, hover] = useState(-1)
  const { textIds } = props.points
  const charted = { ...props, hover, choose: (at: number) => choose(textIds[at] ?? '') }
  useLayoutEffect(() => {
    const plane = root.current
    const [canvas, overlay] = plane?.querySelectorAll('canvas') ?? []
    const renderer = canvas && createPointRenderer(canvas)
    if (!plane || overlay === undefined || renderer === undefined) return fail(true)
    const drawn = createChart(plane, overlay, renderer, charted)
    state.current = drawn
    return () => drawn.end()
  }, [])
  useLayoutEffect(() => state.current?.show(charted), [charted])
  if (hasFailed) {
    return <Notice kind="error">The map needs WebGL, which this browser does not provide.</Notice>
  }
  const button = (label: string, sign: string, act: () => void) => (
    <Button label={label} act={act}>
      {sign}
    </Button>
  )
  const textId = textIds[pointed] ?? (chosen === '' ? undefined : chosen)
  return (
    <div class="chart">
      <div
        ref={root}
        class={props.isSelecting ? 'plane selecting' : 'plane'}
        tabindex={0}
        role="application"
        aria-label={`Map of ${textIds.length} texts: arrow keys move it, plus and minus zoom`}
      >
        <canvas />
        <canvas />
      </div>
      <div class="zoom">
        {button('Zoom in', '+', () => state.current?.zoom(zoomStep))}
        {button('Zoom out', '−', () => state.current?.zoom(1 / zoomStep))}
        {button('Show all', '⤢', () => state.current?.showAll())}
      </div>
      <Reading points={props.points} {...{ textId, chosen, near, choose }} />
    </div>
  )
}
