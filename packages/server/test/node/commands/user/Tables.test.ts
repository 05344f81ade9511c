import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { endpoints } from "@pawl/server/http/request/Endpoints"
import { describe, expect, it } from "vitest"
import { completion } from "../../../../src/node/commands/user/Completion.ts"
import { operatorNames } from "../../../../src/node/commands/user/OperatorNames.ts"
import { routes } from "../../../../src/node/commands/user/Routes.ts"
import { harmless, tableText } from "../../../../src/node/commands/user/Screen.ts"
import { userVerbs } from "../../../../src/node/commands/user/UserVerbs.ts"
import type { Session } from "../../../../src/node/commands/user/Verb.ts"

describe("The tables of the command line", () => {
  it("name endpoints as the contract does", () => {
    const contract = new Map(endpoints.map(({ method, name, path }) => [name, [method, path]]))
    expect(Object.entries(routes).filter(([name, route]) => contract.get(name)?.join() !== route.join())).toEqual([])
  })

  it("name every command of operators, beside the two that are everybody's too", () => {
    const source = readFileSync(new URL("../../../../src/node/OperatorMain.ts", import.meta.url), "utf8")
    const listed = /withSubcommands\(\[([^\]]+)\]/.exec(source)?.[1]?.match(/\w+/g) ?? []
    const names = listed
      .map((name) => name.replace(/Command$/, ""))
      .filter((name) => !["why", "approve"].includes(name))
    expect(names.toSorted()).toEqual(operatorNames.map(({ name }) => name).toSorted())
  })

  it("lead from each verb to what it does, and name nothing twice", async () => {
    expect(new Set(userVerbs.map(({ name }) => name)).size).toBe(userVerbs.length)
    for (const { load, name } of userVerbs) expect([name, typeof (await load())]).toEqual([name, "function"])
  })
})

const isThere = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined

describe("Completions", () => {
  const script = async (shell: string) => (await completion({ given: [shell] } as unknown as Session)).text ?? ""

  it("of bash complete verbs, what stands under them, and options", async () => {
    const made = await script("bash")
    const completed = (...words: ReadonlyArray<string>) =>
      spawnSync(
        "bash",
        [
          "-c",
          `${made}\nCOMP_WORDS=(pawl ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _pawl; printf '%s\\n' "\${COMPREPLY[@]}"`
        ],
        { encoding: "utf8" }
      )
        .stdout.trim()
        .split("\n")
    expect(completed("prom")).toEqual(["promote"])
    expect(completed("change", "c")).toEqual(["create", "cancel"])
    expect(completed("promote", "chg_1", "--tr")).toEqual(["--tree"])
    expect(completed("change", "create", "--bu")).toEqual(["--budget"])
    expect(completed("ser")).toEqual(["serve"])
  })

  it.each(["zsh", "fish"])("of %s name every verb", async (shell) => {
    const made = await script(shell)
    expect(userVerbs.filter(({ name }) => !made.includes(name.split(" ").at(-1) ?? ""))).toEqual([])
  })

  it.skipIf(!isThere("zsh"))(
    "of zsh complete what somebody typed at Tab (needs zsh: apt-get install zsh)",
    async () => {
      // A shell at a terminal of its own, in which Tab is pressed, and then a key that tells the line.
      const typed = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -D -u; eval "$MADE"
show() { print -r -- "LINE<$BUFFER>"; exit; }; zle -N show; bindkey "^X" show; print -r -- REA""DY'
until [[ "$seen" == *READY* ]]; do zpty -r shell seen || exit 1; done
zpty -w -n shell "$1"$'\\t\\x18'
zpty -r shell all '*LINE<*>*'
print -r -- "$all"
zpty -d shell`
      const made = await script("zsh")
      const completed = (line: string) => {
        const { stdout } = spawnSync("zsh", ["-fc", typed, "zsh", line], {
          encoding: "utf8",
          env: { ...process.env, MADE: made }
        })
        return /LINE<([^>]*)>/.exec(stdout)?.[1]
      }
      expect(completed("pawl prom")).toBe("pawl promote ")
      expect(completed("pawl change li")).toBe("pawl change list ")
      expect(completed("pawl promote chg_1 --tr")).toBe("pawl promote chg_1 --tree ")
      expect(completed("pawl change create --bu")).toBe("pawl change create --budget ")
      expect(completed("pawl ser")).toBe("pawl serve ")
    }
  )

  it.skipIf(!isThere("fish"))("of fish complete what stands in a line (needs fish: apt-get install fish)", async () => {
    const made = await script("fish")
    const completed = (line: string) =>
      spawnSync("fish", ["--no-config", "-c", 'echo $MADE | source; complete -C "$argv[1]"', line], {
        encoding: "utf8",
        env: { ...process.env, MADE: made }
      })
        .stdout.trim()
        .split("\n")
        .map((each) => each.split("\t")[0])
    expect(completed("pawl prom")).toEqual(["promote"])
    expect(completed("pawl change c")).toEqual(["cancel", "create"])
    expect(completed("pawl promote chg_1 --tr")).toEqual(["--tree"])
    expect(completed("pawl change create --bu")).toEqual(["--budget"])
    expect(completed("pawl ser")).toEqual(["serve"])
  })
})

describe("A table", () => {
  const table = { head: ["id", "goal"], rows: [["chg_1", "a\tgoal\u001b[2Jof\nlines"]] }

  it("is columns between tabs in a pipe, whatever stands in a cell", () => {
    expect(tableText(table, { terminal: false, width: 80, colour: false })).toBe("chg_1\ta goal\uFFFD[2Jof lines")
  })

  it("fits a terminal", () => {
    const text = tableText(
      { head: ["id", "goal"], rows: [["chg_1", "x".repeat(200)]] },
      { terminal: true, width: 40, colour: false }
    )
    expect(text.split("\n").every((line) => line.length <= 40)).toBe(true)
    expect(text).toContain("…")
  })

  it("lets nothing through that moves, rings or turns", () => {
    expect(harmless("a\u0007b\u009bc\u202ed\te\n")).toBe("a\uFFFDb\uFFFDc\uFFFDd\te\n")
  })
})
