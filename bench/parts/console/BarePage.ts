/** A page of as many files and bytes as another, whose script fills it: what the way to the browser takes alone. */
import { randomBytes } from "node:crypto"
import { createServer, type Server } from "node:http"

/** A file by its kind and its bytes on the way. */
export interface SentFile {
  readonly kind: "script" | "style"
  readonly bytes: number
}

/** Nothing that a packer could make smaller, in a comment. */
const padding = (bytes: number): string =>
  `/*${randomBytes(bytes)
    .toString("base64")
    .slice(0, Math.max(0, bytes - 4))}*/`

const fill = `document.getElementById("root").textContent = "The console, in words."`

/** Serves it from memory, not packed: its bytes are those of the packed files. */
export const bareSite = (pageBytes: number, files: ReadonlyArray<SentFile>): Server => {
  const tags = files.map(({ kind }, at) =>
    kind === "script"
      ? `<script type="module" src="/files/${at}.js"></script>`
      : `<link rel="stylesheet" href="/files/${at}.css">`
  )
  const last = files.findLastIndex(({ kind }) => kind === "script")
  const bodies = files.map(({ bytes }, at) => (at === last ? `${padding(bytes - fill.length)}${fill}` : padding(bytes)))
  const head = `<!doctype html><title>Bare</title><link rel="icon" href="data:,">${tags.join("")}<div id="root"></div>`
  const page = `${head}<!--${"x".repeat(Math.max(0, pageBytes - head.length - 7))}-->`
  return createServer((req, res) => {
    const at = /^\/files\/(\d+)\.(js|css)$/.exec(req.url ?? "")
    const body = at === null ? page : (bodies[Number(at[1])] ?? "")
    const type = at === null ? "text/html" : at[2] === "js" ? "text/javascript" : "text/css"
    res.writeHead(200, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store" })
    res.end(body)
  })
}
