/** Looks for password fields, and for scripts of real login, in HTML as a browser reads it. */
import { type DefaultTreeAdapterTypes, parse } from "parse5"
import { type AuthFinding, fieldFinding, packageFinding, passwordAttribute, type Spot } from "./AuthFinding.ts"

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element
type Parent = DefaultTreeAdapterTypes.ParentNode

/** What a look at markup needs to know of where the markup stands. */
export interface Surroundings {
  /** Looks at the text of a script. Lines are counted in the script. */
  readonly script: (text: string) => ReadonlyArray<AuthFinding>
  /** Where the whole markup stands, for markup inside other texts; null: its own lines are told. */
  readonly spot: Spot | null
  /** How many more texts inside texts are opened. */
  readonly depth: number
}

const scriptTypes = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:babel|jsx|typescript))$/

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((one) => one.name.toLowerCase() === name)?.value

const textIn = (parent: Parent): string => parent.childNodes.map((node) => ("value" in node ? node.value : "")).join("")

const isElement = (node: Node): node is Element => "attrs" in node

/** The addresses that an import map leads to. */
const importMap = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"([^"\n]{1,500})"/g)].map(([, one]) => one ?? "")

const ofScript = (element: Element, spot: Spot, around: Surroundings): ReadonlyArray<AuthFinding> => {
  const type = (attribute(element, "type") ?? "").trim().toLowerCase()
  const source = attribute(element, "src")
  const text = textIn(element)
  if (source !== undefined) return packageFinding(source, spot)
  if (type === "importmap") return importMap(text).flatMap((one) => packageFinding(one, spot))
  if (scriptTypes.test(type))
    return around.script(text).map((finding) => ({
      ...finding,
      line:
        spot.line === null || finding.line === null || around.spot !== null ? spot.line : spot.line + finding.line - 1,
      column: null
    }))
  // A template of the page's own, such as text/x-template.
  return text.includes("<") && around.depth > 0
    ? markupFindings(text, { ...around, spot, depth: around.depth - 1 })
    : []
}

const ofElement = (element: Element, around: Surroundings): ReadonlyArray<AuthFinding> => {
  const place = element.sourceCodeLocation
  const spot = around.spot ?? { line: place?.startLine ?? null, column: place?.startCol ?? null }
  for (const { name, value } of element.attrs) {
    const said = passwordAttribute(name, value)
    if (said !== null) return [fieldFinding(`<${element.tagName.slice(0, 40)} ${said}>`, spot)]
  }
  if (element.tagName === "script") return ofScript(element, spot, around)
  if (element.tagName === "link") return packageFinding(attribute(element, "href") ?? "", spot)
  const srcdoc = element.tagName === "iframe" ? attribute(element, "srcdoc") : undefined
  return srcdoc === undefined || around.depth <= 0
    ? []
    : markupFindings(srcdoc, { ...around, spot, depth: around.depth - 1 })
}

/**
 * The password fields and packages of real login in HTML, in no promised order. What stands in comments, and as text of
 * a page, is no markup and is not found.
 */
export const markupFindings = (text: string, around: Surroundings): ReadonlyArray<AuthFinding> => {
  const found: Array<AuthFinding> = []
  // Without scripting, what is in a noscript is markup too.
  const open: Array<Node | Parent> = [
    parse(text, { sourceCodeLocationInfo: around.spot === null, scriptingEnabled: false })
  ]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("attrs" in node && isElement(node)) found.push(...ofElement(node, around))
    if ("content" in node) open.push(node.content)
    if ("childNodes" in node) for (const child of node.childNodes) open.push(child)
  }
  return found
}
