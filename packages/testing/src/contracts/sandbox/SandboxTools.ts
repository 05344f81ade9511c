/** What an honest check finds in a sandbox. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { slice } from "../../Depth.ts"
import { jobOf, type JobParts, runJob, type RunPromise, textOf } from "./SandboxJobs.ts"

const long = `${"folder-with-a-long-name/".repeat(8)}${"f".repeat(200)}.txt`

/** What a command prints that ends well, trimmed. */
type Output = (command: string, parts?: JobParts) => Promise<string>

/** Programs that a check starts: what they find does not depend on how limits are held. */
const programs = (output: Output): ReadonlyArray<{ readonly title: string; readonly body: () => Promise<void> }> => [
  {
    title: "has Node, and the POSIX tools",
    body: async () => {
      expect(
        await output(
          `node -p process.version; printf 'b\\na\\n' | sort | awk '{ print NR $0 }' | sed s/a/x/ | grep -c .; whoami >/dev/null && echo known`
        )
      ).toMatch(/^v\d+\.\d+\.\d+\n2\nknown$/)
    }
  },
  {
    title: "lets a command serve and fetch on its own loopback",
    body: async () => {
      const program = `require("http").createServer((q, s) => s.end("served")).listen(0, "127.0.0.1", function () {
        fetch("http://127.0.0.1:" + this.address().port).then((r) => r.text()).then((t) => { console.log(t); process.exit() }) })`
      expect(await output("node serve.cjs", { files: { "serve.cjs": program } })).toBe("served")
    }
  },
  {
    title: "compiles TypeScript with tsc",
    body: async () => {
      const files = { "good.ts": "export const a: number = 1\n", "bad.ts": "export const b: number = 'x'\n" }
      expect(await output("tsc --strict good.ts && cat good.js; tsc bad.ts; echo $?", { files })).toMatch(
        /const a = 1[\s\S]*TS2322[\s\S]*[12]$/
      )
    }
  },
  {
    title: "runs node --test",
    body: async () => {
      const files = { "a.test.mjs": `import test from "node:test"\ntest("one", () => {})\n` }
      expect(await output("node --test", { files })).toContain("pass 1")
    }
  }
]

/** Declares the tests, to be run within a suite: in a quick run some of those that start whole programs, `rarely` fewer. */
export const checkTools = (run: RunPromise, rarely: boolean): void => {
  const output: Output = async (command, parts = {}) => {
    const result = await run(runJob(jobOf(command, parts)))
    expect({ ...result.outcome, text: textOf(result) }).toMatchObject({ _tag: "Exited", code: 0 })
    return textOf(result).trim()
  }

  it("lays out the files, whatever their names, with their executable bit", async () => {
    const files = {
      "a.txt": "one",
      "a b/ü $x'\"\n.txt": "two",
      [long]: "three",
      "run.sh": { script: "#!/bin/sh\necho four" },
      "-n": "five",
      empty: ""
    }
    expect(
      await output(
        `cat a.txt; cat "a b/"*; cat ${long}; ./run.sh; cat ./-n; test -e empty && test ! -x a.txt && ls | wc -l`,
        { files }
      )
    ).toBe("onetwothreefour\nfive6")
  })

  it("holds the files of its job and nothing else: what a check does not declare as its inputs is not there", async () => {
    const inputs = { "src/a.txt": "declared", "result.txt": "declared too" }
    const tree = {
      ...inputs,
      "README.md": "not declared",
      "src/b.txt": "not declared",
      ".hidden/c.txt": "not declared"
    }
    const list = `find . -mindepth 1 -type f | sort`
    expect(await output(`${list}; cp README.md "\${TMPDIR:-/tmp}/left.md"`, { files: tree })).toBe(
      ["./.hidden/c.txt", "./README.md", "./result.txt", "./src/a.txt", "./src/b.txt"].join("\n")
    )
    // Not by listing, by name, by a folder above, nor as what another job left behind.
    const byName = `cat README.md src/b.txt .hidden/c.txt ../README.md "\${TMPDIR:-/tmp}/left.md" 2>/dev/null`
    const inside = `grep -rl "not declared" . 2>/dev/null`
    expect(await output(`${list}; ${byName}; ${inside}; cat src/a.txt`, { files: inputs })).toBe(
      "./result.txt\n./src/a.txt\ndeclared"
    )
  })

  it("keeps the content of large files", async () => {
    const files = { big: "0123456789abcdef".repeat(500_000), small: "x" }
    expect(await output("wc -c < big; tail -c 16 big; cat small", { files })).toBe("8000000\n0123456789abcdefx")
  })

  it("gives a command its variables, a home, a place for temporary files, and nothing else", async () => {
    const environment = { GREETING: "hello $USER 'x'\n", LD_PRELOAD: "" }
    expect(
      await output(
        `echo "$GREETING"; cd && pwd; mktemp -d >/dev/null && echo tmp; env | sed -n 's/^\\([A-Z_]*\\)=.*/\\1/p' | sort | tr '\\n' ' '`,
        { environment }
      )
    ).toMatch(/^hello \$USER 'x'\n\n\/job\/home\ntmp\nGREETING HOME LANG LD_PRELOAD (OLDPWD )?PATH PWD( _)?$/)
  })

  for (const { body, title } of slice(programs(output), { quick: rarely ? 1 : 2 })) it(title, body, 60_000)

  it("opens /dev/stdout and /dev/stderr by name", async () => {
    expect(await output("echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr")).toBe("a\nb\nc\nc")
  })

  it("keeps the order of what is written to both outputs", async () => {
    expect(await output("for i in 1 2 3 4 5 6; do echo o$i; echo e$i >&2; done")).toBe(
      [1, 2, 3, 4, 5, 6].flatMap((i) => [`o${i}`, `e${i}`]).join("\n")
    )
  })

  it("leaves a command that is not found, or cannot be run, an exit", async () => {
    const codes = await Promise.all(
      ["no-such-command", "./data"].map((command) => run(runJob(jobOf(command, { files: { data: "x" } }))))
    )
    expect(codes.map(({ outcome }) => outcome)).toEqual([
      { _tag: "Exited", code: 127 },
      { _tag: "Exited", code: 126 }
    ])
  })

  it("keeps jobs that run together apart", async () => {
    const results = await Promise.all(
      ["x", "y", "z"].map((name) =>
        output(`echo ${name} > f; sleep 0.2; cat f; ls | wc -l; ls /proc | grep -c '^[0-9]'`)
      )
    )
    expect(results.map((text) => text.split("\n").slice(0, 2))).toEqual([
      ["x", "1"],
      ["y", "1"],
      ["z", "1"]
    ])
  })

  it.each([["../out"], ["/etc/x"], ["a/../../b"], ["a//b"], [""], ["a/./b"], ["a\0b"]])(
    "refuses a file named %j",
    async (path) => {
      const refused = await run(
        Effect.flip(Effect.flatMap(Sandbox, (sandbox) => sandbox.start(jobOf("true", { files: { [path]: "x" } }))))
      )
      expect(refused._tag).toBe("SandboxUnavailable")
    }
  )

  it("refuses files that need more than the disk, and variables that are none", async () => {
    const jobs = [
      jobOf("true", { files: { a: "x".repeat(2000) }, limits: { diskBytes: 1000 } }),
      jobOf("true", { environment: { "a;b": "c" } })
    ]
    for (const job of jobs) {
      const refused = await run(Effect.flip(Effect.flatMap(Sandbox, (sandbox) => sandbox.start(job))))
      expect(refused._tag).toBe("SandboxUnavailable")
    }
  })

  it("says that the sandbox failed, not the work, when the files cannot be laid out", async () => {
    const files = { a: "x", "a/b": "y" }
    const lost = await run(Effect.flip(runJob(jobOf("true", { files }))))
    expect(lost._tag).toBe("SandboxUnavailable")
  })
}
