/** The edits of the demo, as a person would make them on the shop. */

/** Text by path, as a ChangeSet takes it. */
export type Files = Readonly<Record<string, string>>

/** Replaces one place of a file; a template that no longer has the place is a broken demo. */
const replaceOnce = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`The shop has no ${JSON.stringify(from)} any more`)
  return text.replace(from, to)
}

const hours = `import { html, type Html } from "./html.ts"

/** Hours of the day, local to the shop. Sunday is day 0. */
const opens = 9
const closes = [0, 18, 18, 18, 20, 20, 16]

export const isOpen = (day: number, hour: number): boolean => hour >= opens && hour < (closes[day] ?? 0)

export const hoursPage = (now: Date): Html => html\`
  <h1>Opening hours</h1>
  <p><img src="/hours.svg" alt="" width="96" height="96"></p>
  <p>We are \${isOpen(now.getUTCDay(), now.getUTCHours()) ? "open now" : "closed now"}.</p>
  <ul>
    <li>Monday to Wednesday: 9 to 18</li>
    <li>Thursday and Friday: 9 to 20</li>
    <li>Saturday: 9 to 16</li>
    <li>Sunday: closed</li>
  </ul>\`
`

const hoursTest = `import assert from "node:assert/strict"
import { test } from "node:test"
import { isOpen } from "../src/hours.ts"

test("is open late on Thursdays, and closed on Sundays", () => {
  assert.equal(isOpen(4, 19), true)
  assert.equal(isOpen(1, 19), false)
  assert.equal(isOpen(0, 12), false)
  assert.equal(isOpen(6, 8), false)
})
`

const clock = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" fill="none" stroke="#a0522d" stroke-width="6" stroke-linecap="round"><circle cx="48" cy="48" r="40"/><path d="M48 22v26l16 12"/></svg>
`

/** A feature: code, a page, an asset and a test. */
export const openingHours = (index: string): Files => ({
  "src/hours.ts": hours,
  "test/hours.test.ts": hoursTest,
  "public/hours.svg": clock,
  "src/index.ts": replaceOnce(
    replaceOnce(
      index,
      'import type { Html } from "./html.ts"\n',
      'import { hoursPage } from "./hours.ts"\nimport type { Html } from "./html.ts"\n'
    ),
    '  if (path === "/cart")',
    '  if (path === "/hours") return page(visit, "Opening hours", hoursPage(new Date()))\n  if (path === "/cart")'
  )
})

/** A mistake that the shop's own tests know: markup in a product's name would no longer be escaped. */
export const forgetEscaping = (html: string): Files => ({ "src/html.ts": replaceOnce(html, "&lt;", "<") })

/** Half of the race: touches the stylesheet alone. */
export const warmerColours = (style: string): Files => ({
  "public/style.css": `${style}\nbody { accent-color: chocolate; }\n`
})

/** The other half of the race: touches no file of the first. */
export const friendlierReadme = (readme: string): Files => ({
  "README.md": `${readme}\nCome in and have a look around.\n`
})

/** A Change of those that land in turn. */
export interface InTurn {
  readonly name: string
  readonly goal: string
  readonly files: Files
}

const note = (name: string, text: string): InTurn => ({
  name,
  goal: `A note about ${name}`,
  files: { [`public/notes/${name}.txt`]: `${text}\n` }
})

/** Six that touch no file of each other. The third is bad: that mistake of before again. */
export const sixInTurn = (html: string): ReadonlyArray<InTurn> => [
  note("delivery", "We deliver within two days."),
  note("returns", "Bring it back within a month."),
  { name: "escaping-again", goal: "Simplify the escaping of markup once more", files: forgetEscaping(html) },
  note("payment", "Cash, card or a good story."),
  note("repairs", "What we sold, we mend."),
  note("thanks", "Thank you for coming.")
]

/** A check on every later release: the opening hours must answer. What touches pawl.json is of high risk. */
export const probeHours = (pawlFile: string): Files => ({
  "pawl.json": replaceOnce(
    pawlFile,
    '{ "path": "/", "status": 200 },',
    '{ "path": "/", "status": 200 },\n    { "path": "/hours", "status": 200 },'
  )
})

const sales = `import { html, type Html } from "./html.ts"

// An app's world has no \`process\`; the machine where its author tried it has one.
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }

export const salePage = (): Html => html\`
  <h1>Sale</h1>
  <p>Everything \${process.env["SALE_PERCENT"] ?? "20"} percent off.</p>\`
`

const salesTest = `import assert from "node:assert/strict"
import { test } from "node:test"
import { salePage } from "../src/sale.ts"

test("names the percentage", () => {
  assert.match(salePage().markup, /percent off/)
})
`

/** A mistake that no test of the shop can see: the page needs what an app does not have. */
export const sale = (index: string): Files => ({
  "src/sale.ts": sales,
  "test/sale.test.ts": salesTest,
  "src/index.ts": replaceOnce(
    replaceOnce(
      index,
      'import type { Html } from "./html.ts"\n',
      'import type { Html } from "./html.ts"\nimport { salePage } from "./sale.ts"\n'
    ),
    '  if (path === "/cart")',
    '  if (path === "/sale") return page(visit, "Sale", salePage())\n  if (path === "/cart")'
  )
})
