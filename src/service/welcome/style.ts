/**
 * The colours of all pages. Text has a contrast of at least 7 to 1, and the edges of controls have
 * at least 3 to 1.
 */
export const colours = `
:root {
  color-scheme: light dark;
  --text: #1b2330; --soft: #4a5568; --line: #d5dbe5; --edge: #7c879a; --back: #ffffff; --tint: #f4f6fa;
  --link: #0b4fa8; --strong: #0b4fa8; --on-strong: #ffffff; --wrong: #a3211a;
  --good: #14603a; --warn: #7a4a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e8ecf3; --soft: #b4bfce; --line: #333d4d; --edge: #6f7c91; --back: #12161d; --tint: #1a2029;
    --link: #8fc1ff; --strong: #8fc1ff; --on-strong: #0d1218; --wrong: #ffb4ab;
    --good: #8fd6a8; --warn: #f2c078;
  }
}
`

/** The style sheet of the first page. */
export const style = `
${colours}
body { max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
h1 { display: flex; align-items: center; gap: .75rem }
h1 img { width: 2.25rem; height: 2.25rem }
a { color: var(--link) }
footer { color: var(--soft) }
`
