/** An app whose every byte is known: who it is, which edition, and what it answers where. */
import { source } from "../e2e/kit/Flow.ts"

const pad = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const assetBytes = 20_000
const chunkBytes = 8192
const chunks = 24

/** Paths that an edition of an app answers, and with what. */
export const answers = (slug: string, edition: number): Readonly<Record<string, string>> => ({
  "/who": JSON.stringify({ slug, edition }),
  "/long": pad(`${slug}:${edition};`, chunkBytes).repeat(chunks),
  "/data": slug,
  "/v.txt": pad(`the asset of ${slug}, edition ${edition}\n`, assetBytes)
})
export const paths = ["/who", "/long", "/data", "/v.txt"] as const
export type Path = (typeof paths)[number]

const worker = (slug: string, edition: number): string => `const slug = ${JSON.stringify(slug)}
const edition = ${edition}
const chunk = new TextEncoder().encode((slug + ":" + edition + ";").repeat(${chunkBytes}).slice(0, ${chunkBytes}))
const long = () => {
  let left = ${chunks}
  return new ReadableStream({ async pull(controller) {
    if (left-- === 0) return controller.close()
    await scheduler.wait(0)
    controller.enqueue(chunk)
  } })
}
export default { async fetch(request, env) {
  const { pathname } = new URL(request.url)
  if (pathname === "/who") return Response.json({ slug, edition })
  if (pathname === "/long") return new Response(long())
  if (pathname === "/loop") for (;;) ;
  if (pathname !== "/data") return new Response("home")
  await env.DATA.put("who", slug)
  return new Response(await env.DATA.get("who"))
} }
`

/** The files of an edition. */
export const filesOf = (slug: string, edition: number): Readonly<Record<string, string>> => {
  const files = {
    ...source("", { "src/index.js": worker(slug, edition), "public/v.txt": answers(slug, edition)["/v.txt"]! }),
    "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "true" }], probes: [{ path: "/who" }] })
  }
  return files
}
