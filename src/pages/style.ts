import { colours } from '../service/welcome/style.ts'

/** The style sheet of all pages except the start page, with which it shares its colours. */
export const pageStyle = `
${colours}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: .9375rem/1.5 system-ui, sans-serif }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; padding: .625rem 1.25rem; border-bottom: 1px solid var(--line) }
.top .home { display: flex; align-items: center; gap: .5rem; color: inherit; font-weight: 600; text-decoration: none }
.top nav { display: flex; gap: 1.25rem }
main { max-width: 80rem; margin: 0 auto; padding: 1.25rem 1.25rem 4rem }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere }
h1 .owner { color: var(--soft); font-weight: 400 }
h2 { margin: 0; font-size: 1rem; line-height: 1.5 }
h3 { margin: 0; font-size: .9375rem; overflow-wrap: anywhere }
p { margin: 0 }
.soft, .facts dt { color: var(--soft) }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.count { color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums }
.refusal { padding: .5rem .75rem; border: 1px solid var(--line); border-left: 3px solid var(--wrong); border-radius: 4px; overflow-wrap: anywhere }
button, input, select { max-width: 100%; font: inherit; color: inherit }
button, select, input:not([type=range], [type=checkbox], [type=radio]) { min-height: 2.125rem; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: 6px; background: var(--back) }
input:not([type=range], [type=checkbox], [type=radio]) { padding: .25rem .625rem }
input::placeholder { color: var(--soft); opacity: 1 }
button { cursor: pointer }
button:hover { background: var(--tint) }
button.primary { border-color: var(--strong); background: var(--strong); color: var(--on-strong) }
button.quiet { min-height: 1.5rem; padding: 0; border: 0; background: none; color: var(--link); text-decoration: underline; text-underline-offset: .15em }
input[type=range], input[type=checkbox], input[type=radio] { accent-color: var(--strong) }
summary { cursor: pointer }
pre, code, textarea { font: .8125rem/1.5 ui-monospace, monospace }
pre { margin: .5rem 0 0; padding: .75rem; border-radius: 6px; background: var(--tint); white-space: pre-wrap; overflow-wrap: anywhere }
code { overflow-wrap: anywhere }
textarea { display: block; width: 100%; margin-top: .5rem; padding: .75rem; border: 1px solid var(--edge); border-radius: 6px; background: var(--tint); color: inherit; resize: vertical }
.head { display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: .75rem 2rem; margin-bottom: .75rem }
.key-bar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem }
.key-form { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem }
.key-form p { flex-basis: 100%; font-size: .875rem }
.panel { display: grid; gap: .75rem; max-width: 40rem; margin-top: 1.5rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px }
.fields { display: grid; gap: 1rem }
.fields .field { display: grid; gap: .25rem }
.fields .field input { width: 100% }
.fields fieldset { display: grid; gap: .25rem; min-width: 0; margin: 0; padding: 0; border: 0 }
.fields legend { padding: 0 0 .25rem }
.fields .choices { max-height: 12rem; overflow-y: auto }
.choice { display: flex; align-items: baseline; gap: .5rem; overflow-wrap: anywhere }
.choice input { flex: none; margin: 0; translate: 0 .125rem }
.note { font-size: .875rem }
.buttons { display: flex; flex-wrap: wrap; align-items: center; align-self: start; gap: .5rem .75rem; margin: 0; padding: 0; border: 0 }
.buttons legend { padding: 0 0 .5rem }
.copied { display: flex; flex-wrap: wrap; gap: .5rem }
.copied input { flex: 1 1 20rem; min-width: 0; font-family: ui-monospace, monospace }
.named { display: grid; gap: .5rem 1.5rem }
.named dl.facts { margin: .25rem 0 0 }
main > section:not(.panel) { margin-top: 2rem }
main > section > h2 { font-size: 1.125rem }
.projects { margin: .5rem 0 1rem; padding: 0; list-style: none; border-top: 1px solid var(--line) }
.projects li { padding: .625rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
.projects .facts { font-size: .875rem }
.clamped { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow-wrap: anywhere }
.description { max-width: 60rem; white-space: pre-line; overflow-wrap: anywhere }
dl.facts { display: flex; flex-wrap: wrap; gap: .25rem 2rem; margin: .75rem 0 1.25rem }
dl.facts div { display: flex; gap: .5rem }
dl.facts dd { margin: 0; overflow-wrap: anywhere }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: -.5rem 0 1.25rem }
.browser { display: grid; gap: 1rem 2rem }
.browser > * { min-width: 0 }
.search { display: flex; flex-wrap: wrap; gap: .5rem }
.search input { flex: 1 1 16rem; min-width: 0; min-height: 2.5rem }
.options { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin-top: .75rem }
.options span { display: flex; align-items: center; gap: .75rem; min-width: 0 }
.options output { min-width: 2.5rem; font-variant-numeric: tabular-nums }
.options select { min-width: 0; max-width: 16rem }
.aside > summary { font-weight: 600 }
.aside aside { display: grid; gap: 1rem; margin-top: .75rem }
.prefix { display: grid; gap: .25rem }
.prefix input { width: 100% }
.facets { display: grid; justify-items: start; gap: 1rem }
.facets fieldset { width: 100%; min-width: 0; margin: 0; padding: 0; border: 0 }
.facets legend { padding: 0; font-weight: 600; overflow-wrap: anywhere }
.facet { display: flex; align-items: baseline; gap: .5rem; padding: .125rem 0; cursor: pointer }
.facet input { flex: none; margin: 0; translate: 0 .125rem }
.facet .value { flex: 1; min-width: 0; overflow-wrap: anywhere }
.condition { padding: .25rem .5rem; border-radius: 4px; background: var(--tint) }
.status { display: flex; flex-wrap: wrap; align-items: baseline; gap: .125rem 1rem; min-height: 1.5rem }
[aria-busy=true] .rows { opacity: .6 }
.source { margin-bottom: 1.25rem }
.rows { margin: .5rem 0 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
.source .rows { border: 1px solid var(--line); border-radius: 8px; background: var(--tint) }
.source .row { padding-inline: .75rem; border: 0 }
.row { display: grid; gap: .25rem 1.5rem; padding: .625rem 0; border-bottom: 1px solid var(--line) }
.row > * { min-width: 0 }
.about { display: flex; flex-wrap: wrap; align-items: baseline; gap: .125rem .75rem }
.text-id { overflow-wrap: anywhere; font-weight: 600 }
.more { font-size: .875rem }
.similarity { display: flex; align-items: center; gap: .5rem; font-variant-numeric: tabular-nums }
.similarity svg { width: 5rem; height: .375rem; border-radius: 3px }
.track { fill: var(--line) }
.bar { fill: var(--strong) }
.text { max-width: 48rem; white-space: pre-line; overflow-wrap: anywhere }
.values { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: .125rem 0 0; padding: 0; list-style: none; font-size: .875rem; overflow-wrap: anywhere }
.values li { min-width: 0 }
.values a { color: inherit; text-decoration-color: var(--edge) }
.row details { font-size: .875rem }
.group { margin-top: 1rem }
.pages { display: flex; gap: 1.5rem; margin: .75rem 0 1.5rem }
.code { margin-left: auto; min-width: 0 }
.code[open] { flex-basis: 100% }
.code > summary { color: var(--soft); font-size: .875rem }
.tabs { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 0; padding: 0; border: 0 }
.tabs [aria-pressed=true] { border-color: var(--strong); font-weight: 600 }
.conditions, .note { margin-top: .75rem; overflow-wrap: anywhere }
.note { padding: .5rem .75rem; border: 1px solid var(--line); border-left: 3px solid var(--strong); border-radius: 4px }
.options + .panel, .options ~ section { margin-top: 1.5rem }
.running, .tools { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-top: .5rem }
.tools .gap { flex: 1 }
.tools [aria-pressed=true] { border-color: var(--strong); font-weight: 600 }
textarea:not([readonly]) { background: var(--back) }
.lines { margin: 0; padding-left: 1.25rem; overflow-wrap: anywhere }
progress { width: 12rem; max-width: 100%; accent-color: var(--strong) }
.pairs { margin: .75rem 0 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
.pair { display: grid; gap: .375rem 2rem; padding: .75rem 0; border-bottom: 1px solid var(--line) }
.pair > * { min-width: 0 }
ins, del { border-radius: 2px; background: var(--added); text-decoration: underline; text-underline-offset: .2em }
del { background: var(--removed); text-decoration-style: dotted }
:root { --added: #d7f0dc; --removed: #fbe0dd }
@media (prefers-color-scheme: dark) { :root { --added: #1d432b; --removed: #542a27 } }
.map { display: grid; gap: 1rem 1.5rem }
.map-tools { display: grid; align-content: start; justify-items: start; gap: .75rem; min-width: 0 }
.legend { display: grid; gap: .375rem; width: 100% }
.legend ul { margin: 0; padding: 0; list-style: none }
.legend ul { max-height: 18rem; overflow-y: auto }
.legend li button { display: flex; align-items: baseline; gap: .5rem; width: 100%; padding: .125rem .375rem; border-color: transparent; background: none; text-align: left }
.legend li button[aria-pressed=true] { border-color: var(--strong); background: var(--tint) }
.scale { display: flex; flex-wrap: wrap; align-items: center; gap: .375rem }
.legend .scale svg { flex: 1 0 100%; height: .75rem }
.scale input { width: 6rem }
.legend svg { flex: none; width: .75rem; height: .75rem }
.legend .value { flex: 1; min-width: 0; overflow-wrap: anywhere }
.pointed { min-height: 5rem; overflow-wrap: anywhere }
.neighbours { margin: .5rem 0 0; padding-left: 1.5rem }
.selected { width: 100%; min-width: 0 }
.selected .row { grid-template-columns: minmax(0, 1fr) }
.chart { position: relative; min-width: 0 }
.plane { position: relative; height: 75vh; min-height: 20rem; overflow: hidden; border: 1px solid var(--line); border-radius: 8px; cursor: grab; touch-action: pan-y }
.plane.selecting { cursor: crosshair; touch-action: none }
.plane canvas { position: absolute; inset: 0; width: 100%; height: 100%; color: var(--text) }
.plane canvas + canvas { pointer-events: none }
.zoom { position: absolute; top: .625rem; right: .625rem; display: grid; gap: .25rem }
.zoom button { min-width: 2.125rem; padding: 0 }
button[aria-pressed=true] { border-color: var(--strong); background: var(--tint); font-weight: 600 }
/* What is read of a point stands below the map, where one taps. */
@media (max-width: 55.99rem) {
  .map-tools { display: contents }
  .map-tools > button { justify-self: start }
  .chart { order: 1 }
  .pointed { order: 2 }
  .selected { order: 3 }
  .plane { height: 60vh }
}
@media (min-width: 56rem) {
  .named { grid-template-columns: minmax(0, 1fr) auto }
  .map { grid-template-columns: 17rem minmax(0, 1fr) }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)) }
  .pair .about { grid-column: 1 / -1; flex-direction: row; align-items: baseline }
  .browser { grid-template-columns: 15rem minmax(0, 1fr) }
  .above { grid-column: 2 }
  .aside { grid-row: 1 / span 2; grid-column: 1 }
  .row { grid-template-columns: 11rem minmax(0, 1fr) }
  .about { flex-direction: column; align-items: start }
}
@media (max-width: 30rem) {
  main { padding-inline: 1rem }
  .search button { flex: 1 }
}
@media (prefers-reduced-motion: no-preference) { .rows { transition: opacity .15s } }
`
