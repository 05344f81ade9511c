/**
 * What every `Sandbox` gives back of what a command left; and, of one that runs commands, what a hostile one gets into
 * that: nothing but regular files of its own, within the bounds, and always an end.
 */
import type { SandboxJob, SandboxResult } from "@pawl/core/verification/Sandbox"
import { expect, it } from "vitest"
import { slice } from "../../Depth.ts"
import { jobOf, runJob, type RunPromise } from "./SandboxJobs.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

const asked: NonNullable<SandboxJob["collect"]> = { paths: ["dist"], maxBytes: 10_000, maxFiles: 8 }

const given = ({ collected }: SandboxResult) =>
  collected?._tag === "Files"
    ? Object.fromEntries([...collected.files].map(([path, { content }]) => [path, textOf(content)]))
    : collected

/** The command that leaves `dist/a.txt` (`one`), `dist/b/c.txt` (`two`) and `other.txt` (`no`), and prints nothing. */
export const leaving = "mkdir -p dist/b; printf one > dist/a.txt; printf two > dist/b/c.txt; printf no > other.txt"

/** Declares what holds for every sandbox, also for one that only plays commands. */
export const checkCollection = (run: RunPromise): void => {
  it("gives back what stands at the asked paths when the command exits with 0, sorted, and nothing else", async () => {
    const result = await run(runJob(jobOf(leaving, { collect: { ...asked, paths: ["gone", "dist"] } })))
    expect(given(result)).toEqual({ "dist/a.txt": "one", "dist/b/c.txt": "two" })
    expect(given(await run(runJob(jobOf(leaving, { collect: { ...asked, paths: ["other.txt"] } }))))).toEqual({
      "other.txt": "no"
    })
    expect(given(await run(runJob(jobOf(leaving, { collect: { ...asked, paths: ["gone"] } }))))).toEqual({})
  })

  it("gives back nothing unasked, and nothing of a command that fails", async () => {
    expect((await run(runJob(jobOf(leaving)))).collected).toBeUndefined()
    expect((await run(runJob(jobOf(`${leaving}; exit 3`, { collect: asked })))).collected).toBeUndefined()
  })

  it("gives back nothing of what is over a bound, and says which", async () => {
    const bytes = await run(runJob(jobOf(leaving, { collect: { ...asked, maxBytes: 5 } })))
    expect(bytes.collected).toMatchObject({ _tag: "TooMuch", reason: expect.stringMatching(/5 bytes/) })
    const files = await run(runJob(jobOf(leaving, { collect: { ...asked, maxFiles: 1 } })))
    expect(files.collected).toMatchObject({ _tag: "TooMuch", reason: expect.stringMatching(/1 files/) })
  })
}

interface Hostile {
  readonly title: string
  /** Runs after `mkdir dist; echo own > dist/own.txt`. */
  readonly command: string
  readonly paths?: ReadonlyArray<string>
  /** What is given; null when only that it ends, and what kind of answer it has, is promised. Default: its own file alone. */
  readonly gives?: Readonly<Record<string, string>> | null
  /** Nothing is given, for this reason. */
  readonly refused?: RegExp
}

const own = { "dist/own.txt": "own\n" }

const hostile: ReadonlyArray<Hostile> = [
  { title: "a link to a file of the host", command: "ln -s /etc/passwd dist/passwd; ln -s /proc/1/environ dist/env" },
  { title: "a link to a folder of the host", command: "ln -s /etc dist/etc; ln -s / dist/root" },
  { title: "a link in the place of what is asked for", command: "rm -r dist; ln -s /etc dist", gives: {} },
  {
    title: "a link on the way to what is asked for",
    command: "mv dist old; mkdir dist; ln -s / dist/client",
    paths: ["dist/client/etc", "dist/client"],
    gives: {}
  },
  {
    title: "a link in the place of the folder of the files",
    command: "cd /job; mv work old; ln -s / work",
    paths: ["etc", "dist"],
    refused: /gone/
  },
  {
    title: "no folder of the files any more",
    command: "cd /job; mv work old",
    refused: /gone/
  },
  { title: "a fifo, which nobody writes to", command: "mkfifo dist/fifo" },
  {
    title: "a socket",
    command: `node -e 'require("net").createServer().listen("dist/socket", () => process.exit())'; ls dist >/dev/null`
  },
  { title: "a device", command: "mknod dist/null c 1 3 2>/dev/null || :" },
  {
    title: "a daemon that goes on writing",
    command: "( setsid sh -c 'while :; do echo more > dist/more-$$; rm -f dist/more-$$; done' & ) ; sleep 0.05",
    gives: null
  },
  {
    title: "an end that it says itself on every descriptor, and then goes on",
    command:
      "for fd in 3 4 5 6 7 8 9; do echo 0 >&$fd; done 2>/dev/null; for pid in /proc/[0-9]*; do for fd in $pid/fd/*; do case $fd in */[012]) ;; *) echo 0 > $fd;; esac; done; done 2>/dev/null; echo later > dist/later.txt",
    gives: { ...own, "dist/later.txt": "later\n" }
  },
  {
    title: "a kill of all that it can see",
    command: "kill -9 -1 2>/dev/null; kill -9 1 2>/dev/null; echo still > dist/still.txt",
    gives: null
  },
  {
    title: "tens of thousands of names",
    command: `node -e 'for (let n = 0; n < 12000; n++) require("fs").writeFileSync("dist/" + n, "")'`,
    refused: /more than \d+ (names|files)/
  },
  {
    title: "tens of thousands of folders and links, which are no files",
    command: `node -e 'for (let n = 0; n < 6000; n++) { require("fs").mkdirSync("dist/d" + n); require("fs").symlinkSync("x", "dist/l" + n) }'`,
    refused: /more than \d+ names/
  },
  { title: "a sparse file of a terabyte", command: "truncate -s 1T dist/giant", refused: /more than 10000 bytes/ },
  { title: "a hole that is as long as allowed", command: "truncate -s 9000 dist/hole", gives: null },
  {
    title: "many files that are small and too much together",
    command: "for n in 1 2 3 4; do head -c 3000 /dev/zero > dist/$n; done",
    refused: /more than 10000 bytes/
  },
  {
    title: "folders within folders without end",
    command: `node -e 'let at = "dist"; for (let n = 0; n < 1000; n++) { at = "deep"; require("fs").mkdirSync(at); process.chdir(at) }'; mv deep dist/ 2>/dev/null; :`,
    refused: /more than \d+ names|cannot be/
  },
  { title: "a name with a line break", command: "printf x > 'dist/a\nb'", refused: /no name for a file/ },
  { title: "a name with a backslash", command: "printf x > 'dist/..\\..\\x'", refused: /no name for a file/ },
  { title: "a name that is no UTF-8", command: "printf x > dist/$(printf '\\377\\376')", refused: /no UTF-8/ },
  {
    title: "a hard link to a file of its own",
    command: "ln dist/own.txt dist/same.txt",
    gives: { ...own, "dist/same.txt": "own\n" }
  },
  {
    title: "a hard link to a file of the system",
    command: "ln /etc/passwd dist/passwd 2>/dev/null; ln /bin/sh dist/sh 2>/dev/null; :"
  },
  { title: "the disk filled to its brim", command: "cat /dev/zero > fill 2>/dev/null; :" }
]

/** Declares what a hostile command gets: in a quick run a slice of them. */
export const checkHostileCollection = (run: RunPromise): void => {
  for (const { command, gives = own, paths, refused, title } of slice(hostile, { quick: 8 })) {
    it(`is not taken in by ${title}`, async () => {
      const job = jobOf(`mkdir dist; echo own > dist/own.txt; ${command}`, {
        collect: { ...asked, paths: paths ?? asked.paths }
      })
      const result = await run(runJob(job))
      if (refused !== undefined) {
        expect(result.collected).toMatchObject({ _tag: "TooMuch", reason: expect.stringMatching(refused) })
        return
      }
      if (gives !== null) expect(given(result)).toEqual(gives)
      else expect(result.collected?._tag ?? "Files").toBe("Files")
    })
  }
}
