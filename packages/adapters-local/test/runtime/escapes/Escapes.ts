/** Every way out that is tried, and the app that tries them. `docs/security/attempts.md` lists them all. */
import { type Escape, type Prey } from "./Escape.ts"
import { assets, bindings, codeGeneration, data } from "./EscapesInward.ts"
import { files, network, surroundings } from "./EscapesOutward.ts"
import { answers, starts, tamperings } from "./EscapesWithin.ts"

export const escapes: ReadonlyArray<Escape> = [
  ...network,
  ...files,
  ...surroundings,
  ...bindings,
  ...data,
  ...assets,
  ...codeGeneration
]

/** All by name, for the page that lists them. */
export const groups: ReadonlyArray<readonly [heading: string, list: ReadonlyArray<Escape>]> = [
  ["The network", network],
  ["Files and programs", files],
  ["What is around it", surroundings],
  ["Its bindings", bindings],
  ["Other apps' data", data],
  ["Other apps' files", assets],
  ["Code out of text", codeGeneration],
  ["The runtime's own objects", tamperings],
  ["Its answers", answers],
  ["Its start", starts]
]

/** An app that tries each of a list, by its number in the path. */
export const hostileApp = (list: ReadonlyArray<Escape>, prey: Prey): string => `const host = ${JSON.stringify(prey)}
export const seen = []
const tries = [
${list.map(({ code, title }) => `// ${title}\nasync (request, env, ctx) => { ${code} }`).join(",\n")}
]
export default { async fetch(request, env, ctx) {
  const number = Number(new URL(request.url).pathname.slice(1))
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("nothing came")), 400))
  try { return new Response(JSON.stringify((await Promise.race([late, tries[number](request, env, ctx)])) ?? null) ?? "undefined") }
  catch (error) { let why = ""; try { why = String(error).slice(0, 200) } catch {} return new Response("denied: " + why) }
} }`
