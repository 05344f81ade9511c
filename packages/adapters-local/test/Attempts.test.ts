import { fileURLToPath } from "node:url"
import { attempts } from "@pawl/testing/contracts/sandbox/SandboxAttempts"
import { systemCalls } from "@pawl/testing/contracts/sandbox/SandboxSystemCalls"
import { expect, it } from "vitest"
import { groups } from "./runtime/escapes/Escapes.ts"

const titlesOf = (list: ReadonlyArray<{ readonly title: string }>) => list.map(({ title }) => title)
const apps = groups.flatMap(([, list]) => titlesOf(list))
const checks = titlesOf([...attempts, ...systemCalls])
const lines = (titles: ReadonlyArray<string>) => titles.map((title) => `- ${title}\n`).join("")

const page = `# Attempts

What is tried on every commit to get out, in every isolation that the machine offers: bubblewrap, \`unshare\`, and for apps also bare workerd. All of it is denied. The list is that of the tests: one of them fails when this page says something else. (\`npm run test:only -- --project adapters-local Attempts -u\` writes it anew.)

## An app

${apps.length} attempts, in [Escapes.test.ts](../../packages/adapters-local/test/runtime/escapes/Escapes.test.ts). Each counts as denied when it throws, or never ends, or ends without what it came for; and when no listener of the machine was visited, no secret was seen, and the data of the app beside it is as it was.

${groups.map(([heading, list]) => `### ${heading}\n\nIt …\n\n${lines(titlesOf(list))}`).join("\n")}
## A check

${checks.length} attempts, in [SandboxAttempts.ts](../../packages/testing/src/contracts/sandbox/SandboxAttempts.ts) and [SandboxSystemCalls.ts](../../packages/testing/src/contracts/sandbox/SandboxSystemCalls.ts), each with cgroups and without. A sandbox of your own runs them too, as part of its contract. It …

${lines(titlesOf(attempts))}
### By a call to the kernel

Where there is a filter of system calls (see \`system-calls-filtered\` in [Isolation](isolation.md)), it …

${lines(titlesOf(systemCalls))}`

it("tells in docs/security of every attempt, and of no other", async () => {
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL("../../../docs/security/attempts.md", import.meta.url)))
})

it("tries at least 60 ways out of an app and 60 out of a check, each once", () => {
  for (const titles of [apps, checks]) {
    expect(titles.length).toBeGreaterThanOrEqual(60)
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
  }
})
