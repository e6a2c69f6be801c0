import type { Camera } from './plane.ts'

const vertexShader = `
attribute vec2 place;
attribute vec4 colour;
uniform vec2 middle;
uniform vec2 scale;
uniform float size;
uniform vec2 opacity;
varying vec4 shown;
void main() {
  bool isDrawn = colour.a > opacity.x && colour.a <= opacity.y;
  gl_Position = isDrawn ? vec4((place - middle) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size;
  shown = colour;
}`
const fragmentShader = `
precision mediump float;
varying vec4 shown;
void main() {
  float far = length(gl_PointCoord - 0.5);
  float alpha = shown.a * (1.0 - smoothstep(0.38, 0.5, far));
  gl_FragColor = vec4(shown.rgb * alpha, alpha);
}`

/** Draws points with WebGL. Each change of the camera redraws all of them. */
export type PointRenderer = NonNullable<ReturnType<typeof createPointRenderer>>

/** @returns undefined if the browser has no WebGL */
export function createPointRenderer(canvas: HTMLCanvasElement) {
  const gl = canvas.getContext('webgl', { antialias: false, preserveDrawingBuffer: true })
  const program = gl === null ? null : gl.createProgram()
  if (gl === null || program === null) return undefined
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertexShader],
    [gl.FRAGMENT_SHADER, fragmentShader],
  ] as const) {
    const shader = gl.createShader(type)
    if (shader === null) return undefined
    gl.shaderSource(shader, source)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  gl.linkProgram(program)
  gl.useProgram(program)
  gl.enable(gl.BLEND)
  // The shader multiplies colours by their opacity, as canvases expect.
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
  const fill = (name: string, parts: number, type: number, isByte: boolean) => {
    const buffer = gl.createBuffer()
    const at = gl.getAttribLocation(program, name)
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
    gl.enableVertexAttribArray(at)
    gl.vertexAttribPointer(at, parts, type, isByte, 0, 0)
    return (data: Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW)
    }
  }
  const fillPlaces = fill('place', 2, gl.FLOAT, false)
  const fillColours = fill('colour', 4, gl.UNSIGNED_BYTE, true)
  const uniform = (name: string) => gl.getUniformLocation(program, name)
  const [middle, scale, size] = [uniform('middle'), uniform('scale'), uniform('size')]
  const opacity = uniform('opacity')
  let count = 0
  return {
    setPoints(x: Float32Array, y: Float32Array) {
      count = x.length
      const places = new Float32Array(2 * count)
      for (let at = 0; at < count; at += 1) {
        places[2 * at] = x[at] ?? 0
        places[2 * at + 1] = y[at] ?? 0
      }
      fillPlaces(places)
    },
    /** Takes four bytes for each point. */
    setColours: fillColours,
    draw(camera: Camera) {
      const { width, height } = camera
      const ratio = devicePixelRatio
      const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
      if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide
        canvas.height = high
      }
      gl.viewport(0, 0, wide, high)
      gl.clearColor(0, 0, 0, 0)
      gl.clear(gl.COLOR_BUFFER_BIT)
      gl.uniform2f(middle, camera.x, camera.y)
      gl.uniform2f(scale, (2 * camera.scale) / width, (2 * camera.scale) / height)
      gl.uniform1f(size, pointSize(camera, count) * ratio)
      // Pale points lie below the others, and those without any opacity are not drawn at all.
      for (const above of [0, 0.5]) {
        gl.uniform2f(opacity, above, above + 0.5)
        gl.drawArrays(gl.POINTS, 0, count)
      }
    },
  }
}

/** The diameter in pixels: smaller if there are many points, larger when zoomed in. */
function pointSize({ scale, width, height }: Camera, count: number): number {
  const crowd = Math.sqrt((width * height) / Math.max(1, count)) / 2
  const near = Math.sqrt(scale / (Math.min(width, height) / 2))
  return Math.min(14, Math.max(3, crowd * near))
}
