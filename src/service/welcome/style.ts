/**
 * The colours of all pages. Text has a contrast of at least 7 to 1, and the edges of controls have
 * at least 3 to 1.
 */
export const colours = `
:root {
  color-scheme: light dark;
  --text: #1b2330; --soft: #4a5568; --line: #d5dbe5; --edge: #7c879a; --back: #ffffff; --tint: #f4f6fa;
  --link: #0b4fa8; --strong: #0b4fa8; --on-strong: #ffffff; --wrong: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e8ecf3; --soft: #b4bfce; --line: #333d4d; --edge: #6f7c91; --back: #12161d; --tint: #1a2029;
    --link: #8fc1ff; --strong: #8fc1ff; --on-strong: #0d1218; --wrong: #ffb4ab;
  }
}
`

/** The style sheet of the start page. */
export const style = `
${colours}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
body > * { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem }
header { padding-top: 3rem }
h1 { display: flex; align-items: center; gap: .75rem; margin: 0; font-size: 2rem; line-height: 1.2 }
h1 img { width: 2.25rem; height: 2.25rem }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.25rem }
a { color: var(--link) }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 1rem 0 0; padding: 0; list-style: none }
.projects { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
.projects li { padding: .75rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
.projects p { margin: 0 }
.soft { color: var(--soft) }
footer { padding-top: 2rem; padding-bottom: 3rem; color: var(--soft); font-size: .875rem }
`
