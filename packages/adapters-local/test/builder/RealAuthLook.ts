/** A look at files for real login, as a build takes it of a source with its assets in `public`. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { readHeaders } from "@pawl/adapters-local/builder/assets/HeadersFile"
import type { Page } from "@pawl/adapters-local/builder/assets/PageTexts"
import { pagesOf } from "@pawl/adapters-local/builder/assets/PageTypes"
import { readRedirects } from "@pawl/adapters-local/builder/assets/RedirectsFile"
import { realAuthProblems } from "@pawl/adapters-local/builder/auth/RealAuth"
import { utf8 } from "@pawl/core/primitives/Digest"

/** Texts, or bytes as they are. */
export type Files = Readonly<Record<string, string | Uint8Array>>

/** What a browser could show of the files below `public`, by the rules that stand there. */
const pages = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Page> => {
  const rules = (name: string) => new TextDecoder().decode(files.get(`public/${name}`))
  const assets = new Map(
    [...files].flatMap(([path, body]) => (/^public\/[^_]/.test(path) ? [[path.slice(7), body]] : []))
  )
  const { headers } = readHeaders(rules("_headers"), "public/_headers")
  const { redirects } = readRedirects(rules("_redirects"), "public/_redirects", "auto-trailing-slash")
  return new Map([...pagesOf({ assets, headers, redirects })].map(([path, page]) => [`public/${path}`, page]))
}

export const look = (given: Files, reached: ReadonlyArray<string> = []) => {
  const files = new Map(
    Object.entries(given).map(([path, body]) => [path, typeof body === "string" ? utf8(body) : body])
  )
  return realAuthProblems({
    files,
    generated: new Set(),
    assets: "public",
    pages: pages(files),
    reached: new Set(reached),
    parseCharacters: LocalLimits.buildAuthParseCharacters,
    unpackedBytes: LocalLimits.buildUnpackedBytes,
    problems: LocalLimits.buildProblems
  })
}
export const codes = async (path: string, text: string) =>
  (await look({ [path]: text }, [path])).map(({ code }) => code)
