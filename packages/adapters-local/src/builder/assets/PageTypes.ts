/**
 * Which assets a browser could show as a page: by the type that they are served with, by what the app's `_headers` makes
 * of that, and by their first bytes as browsers sniff them (WHATWG, "MIME Sniffing"), whatever they are called.
 */
import type { HeaderRule, RedirectRule } from "@pawl/core/bundle/Bundle"
import { compile, match } from "@pawl/router/PathPattern"
import { contentTypeOf } from "./ContentTypes.ts"
import { byteOrder, type Page } from "./PageTexts.ts"

const essenceOf = (type: string): string => (type.split(";", 1)[0] ?? "").trim().toLowerCase()
const isXmlType = (type: string): boolean => /^(?:text|application)\/(?:xml|xsl)$|\+xml$/.test(essenceOf(type))
const isPageType = (type: string): boolean => essenceOf(type) === "text/html" || isXmlType(type)

/** A value of `_headers` that may name a page: joined with others, and filled in from the path. */
const mayNamePage = (value: string): boolean => /html|xml|xsl|multipart|:\w/i.test(value)

// The elements that browsers take for the beginning of HTML.
const tags = "!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p"
const beginsAsPage = new RegExp(`^(?:\\ufeff)?[\\t\\n\\f\\r ]*<(?:(?:${tags})[ >]|!--|\\?xml)`, "i")
const beginsAsXml = /^(?:\ufeff)?[\t\n\f\r ]*<\?xml/i
const sniffed = 1445

const firstText = (bytes: Uint8Array): string =>
  new TextDecoder(byteOrder(bytes) ?? "latin1").decode(bytes.subarray(0, sniffed)).replace(/^\u00ef\u00bb\u00bf/, "")

/** Whether a rule is for this asset. Where paths are rewritten, any rule may be. */
const isFor = (rule: HeaderRule, path: string): boolean => {
  const pattern = compile(/^https:\/\/[^/]*(.*)$/s.exec(rule.path)?.[1] ?? rule.path)
  if ("problem" in pattern) return false
  return [`/${path}`, encodeURI(`/${path}`)].some((each) => match(pattern, each.split("/")) !== null)
}

const valuesOf = (rules: ReadonlyArray<HeaderRule>, name: string): ReadonlyArray<string> =>
  rules.flatMap(({ set }) => set.filter(([each]) => each === name).map(([, value]) => value))

const charsetsIn = (types: ReadonlyArray<string>): ReadonlyArray<string> =>
  types.flatMap((type) => [...type.matchAll(/charset\s*=\s*"?([\w.:-]{1,40})/gi)].map(([, charset]) => charset ?? ""))

/** Assets that a browser could show as a page, by their path under the assets directory. */
export const pagesOf = (options: {
  readonly assets: ReadonlyMap<string, Uint8Array>
  readonly headers: ReadonlyArray<HeaderRule>
  readonly redirects: ReadonlyArray<RedirectRule>
}): ReadonlyMap<string, Page> => {
  const isRewritten = options.redirects.some(({ status }) => status === 200)
  const typed = options.headers.filter(({ set, unset }) =>
    [...set.map(([name]) => name), ...unset].some((name) => name === "content-type" || name === "content-encoding")
  )
  const pages = new Map<string, Page>()
  for (const [path, bytes] of options.assets) {
    const rules = isRewritten ? typed : typed.filter((rule) => isFor(rule, path))
    const own = contentTypeOf(path)
    const types = valuesOf(rules, "content-type")
    const compressed = valuesOf(rules, "content-encoding").length > 0
    const first = firstText(bytes)
    const isPage = isPageType(own) || types.some(mayNamePage) || beginsAsPage.test(first)
    // What is compressed shows its first bytes only when it is unpacked.
    if (!isPage && !compressed) continue
    const xml = isXmlType(own) || types.some((type) => /xml|xsl|:\w/i.test(type)) || beginsAsXml.test(first)
    pages.set(path, { xml, charsets: charsetsIn(types), compressed })
  }
  return pages
}
