import { rounds } from "@pawl/testing/Depth"
import { calls, type Script } from "@pawl/testing/provider/Script"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import { done, environmentOf, script, type Team, write } from "../kit/ScriptedTeam.ts"

/** A goal that changes nothing but what nobody runs: of low risk, so that the Policy of the fourth act promotes it. */
const asset: Team = {
  tasks: [{ key: "about", title: "The picture" }],
  agents: { "The picture": [write("public/about.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>\n`), done] }
}

const code: Team = {
  tasks: [{ key: "about", title: "The page" }],
  agents: { "The page": [write("src/about.ts", `export const about = "us"\n`), done] }
}

/** A model that plans, and then can do nothing. */
const helpless: Script = (asked) =>
  asked.tools.includes("propose_plan") ? script(code)(asked) : calls("give_up", { reason: "this is beyond me" })

const withModel = async (team: Script) => {
  const provider = await Provider.open(team)
  const ended = await pawl(["demo", "--exit", "--model"], environmentOf(provider))
  await provider.close()
  // A model also looks at the risky Candidate of another act, unless that is promoted before it is asked.
  const asked = provider.asked().filter(({ tools }) => !tools.includes("review"))
  return { ...ended, asked: asked.length }
}

const acts = (output: string): ReadonlyArray<number> =>
  [...output.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))

const promises: ReadonlyArray<readonly [string, () => Promise<void>]> = [
  [
    "shows every act, those of agents with a model that follows a script, and says so",
    async () => {
      const { code: ended, output } = await pawl(["demo", "--exit"], {})
      expect([ended, output]).toEqual([0, expect.stringContaining("Every step did what it says.")])
      expect(acts(output)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      expect(output).toContain("rejected, checks_failed: ")
      for (const line of output.split("\n").filter((each) => /^(9|10|11)\. /.test(each)))
        expect(line).toContain("a scripted model")
    }
  ],
  [
    "lets the model that is set up work a goal, which the Policy may promote by itself",
    async () => {
      const { asked, code: ended, output } = await withModel(script(asset))
      expect([ended, output]).toEqual([0, expect.stringContaining("the Policy promoted it by itself: its risk is low")])
      expect(acts(output)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(output).not.toContain("a scripted model")
      expect(asked).toBe(3)
    }
  ],
  [
    "lets the model that is set up work a goal, which a person promotes otherwise",
    async () => {
      const { code: ended, output } = await withModel(script(code))
      expect([ended, output]).toEqual([0, expect.stringContaining("a person promoted it")])
    }
  ],
  [
    "ends with 1 and the reason when the model cannot do it",
    async () => {
      const { code: ended, output } = await withModel(helpless)
      expect([ended, output]).toEqual([1, expect.stringContaining("this is beyond me")])
      expect(output).not.toContain("Every step did what it says.")
    }
  ]
]

describe("The demo", () => {
  // Each runs all of the main job: the deep run, which CI makes too, has the time.
  it.each(promises.slice(0, rounds({ quick: 0, deep: promises.length })))("%s", (_, promise) => promise())

  it("asks for a model that is set up, where none is", async () => {
    const { code: ended, output } = await pawl(["demo", "--exit", "--model"], {})
    expect([ended, output]).toEqual([1, expect.stringContaining("PAWL_MODEL_URL names none")])
  })
})
