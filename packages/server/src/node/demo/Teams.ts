/** What the demo's scripted model plans and does, act by act. */
import type { Reply, Script, ScriptedCall } from "./ScriptedModel.ts"

interface TeamTask {
  readonly key: string
  readonly title: string
  readonly dependsOn?: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
}

interface Team {
  readonly tasks: ReadonlyArray<TeamTask>
  /** The answers of each agent, by what its Task's title begins with. */
  readonly agents: Readonly<Record<string, ReadonlyArray<Reply>>>
}

const scriptOf =
  ({ agents, tasks }: Team): Script =>
  ({ task, turn }) => {
    if (task === null) {
      const planned = tasks.map((each) => ({
        kind: "implement",
        complexity: "small",
        instructions: `${each.title}, with a test where there is behaviour.`,
        dependsOn: [],
        reads: [],
        ...each
      }))
      return { calls: [{ name: "propose_plan", input: { tasks: planned } }] }
    }
    const answers = Object.entries(agents).find(([begin]) => task.startsWith(begin))?.[1] ?? []
    return answers[turn] ?? { calls: [{ name: "give_up", input: { reason: "the script is at its end" } }] }
  }

const reply = (...calls: ReadonlyArray<ScriptedCall>): Reply => ({ calls })
const write = (path: string, text: string): ScriptedCall => ({ name: "write", input: { path, text } })
const read = (path: string): ScriptedCall => ({ name: "read", input: { path } })
const edit = (path: string, old: string, text: string): ScriptedCall => ({
  name: "edit",
  input: { path, old, new: text }
})
const done = (message: string): Reply => reply({ name: "done", input: { message } })

const aboutPage = `import { html, type Html } from "./html.ts"

export const aboutPage = (): Html => html\`
  <h1>About us</h1>
  <p><img src="/about.svg" alt="" width="96" height="96"></p>
  <p>Three agents made this page: one wrote it, one put it on its path, one drew the picture.</p>\`
`

const aboutTest = `import assert from "node:assert/strict"
import { test } from "node:test"
import { aboutPage } from "../src/about.ts"

test("says who we are", () => {
  assert.match(aboutPage().markup, /About us/)
})
`

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" fill="none" stroke="#a0522d" stroke-width="6"><circle cx="48" cy="36" r="18"/><path d="M12 90c4-24 20-32 36-32s32 8 36 32"/></svg>
`

const cartRoute = '  if (path === "/cart")'
const htmlImport = 'import type { Html } from "./html.ts"\n'

/** Three Tasks: a page, its route after it, and a picture beside them. */
export const about: Script = scriptOf({
  tasks: [
    { key: "page", title: "Write the page about us", writes: ["src/about.ts", "test/about.test.ts"] },
    { key: "route", title: "Answer /about with it", dependsOn: ["page"], writes: ["src/index.ts"] },
    { key: "picture", title: "Draw a picture for it", writes: ["public/about.svg"] }
  ],
  agents: {
    Write: [
      reply(write("src/about.ts", aboutPage), write("test/about.test.ts", aboutTest)),
      done("Add a page that says who we are")
    ],
    Answer: [
      reply(read("src/index.ts")),
      reply(
        edit("src/index.ts", htmlImport, `import { aboutPage } from "./about.ts"\n${htmlImport}`),
        edit(
          "src/index.ts",
          cartRoute,
          `  if (path === "/about") return page(visit, "About us", aboutPage())\n${cartRoute}`
        )
      ),
      done("Answer /about with the page")
    ],
    Draw: [reply(write("public/about.svg", picture)), done("Add a picture of us")]
  }
})

const bannerTest = `import assert from "node:assert/strict"
import { test } from "node:test"
import { banner } from "../src/banner.ts"

test("greets", () => {
  assert.match(banner, /^Welcome/)
})
`

const lengthTest = `import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { test } from "node:test"

const file = new URL("../src/banner.ts", import.meta.url)

test("a banner fits into one line", { skip: !existsSync(file) }, async () => {
  const { banner } = await import(file.href)
  assert.ok(banner.length <= 20, \`the banner of src/banner.ts has \${banner.length} characters\`)
})
`

/** Two Tasks that are right alone and wrong together, and the repair that makes them fit. */
export const banner: Script = scriptOf({
  tasks: [
    { key: "banner", title: "Write a banner", writes: ["src/banner.ts", "test/banner.test.ts"] },
    { key: "length", title: "Test that banners are short", writes: ["test/banner-length.test.ts"] }
  ],
  agents: {
    "Write a banner": [
      reply(
        write("src/banner.ts", 'export const banner = "Welcome to our shop, have a look around"\n'),
        write("test/banner.test.ts", bannerTest)
      ),
      done("Add a banner")
    ],
    "Test that": [reply(write("test/banner-length.test.ts", lengthTest)), done("Test that banners fit into a line")],
    Mend: [
      reply(read("src/banner.ts")),
      reply(edit("src/banner.ts", "Welcome to our shop, have a look around", "Welcome!")),
      done("Make the banner fit into a line")
    ]
  }
})

/** One Task, whose first answer takes so much that the budget has nothing left for the second. */
export const costly: Script = scriptOf({
  tasks: [{ key: "thanks", title: "Say thanks", writes: ["src/thanks.ts"] }],
  agents: {
    "Say thanks": [
      { calls: [write("src/thanks.ts", 'export const thanks = "Thank you!"\n')], outputTokens: 44_000 },
      done("Say thanks")
    ]
  }
})
