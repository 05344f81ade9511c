import { fileURLToPath } from "node:url"
import { attempts } from "@pawl/testing/contracts/sandbox/SandboxAttempts"
import { systemCalls } from "@pawl/testing/contracts/sandbox/SandboxSystemCalls"
import { expect, it } from "vitest"
import { hostileArchives } from "./packages/HostileArchives.ts"
import { hostileImports } from "./packages/HostileImports.ts"
import { hostileLocks } from "./packages/HostileLocks.ts"
import { harmlessPrograms, hostilePrograms } from "./packages/HostileManifests.ts"
import { hostileRegistries } from "./packages/HostileRegistries.ts"
import { groups } from "./runtime/escapes/Escapes.ts"

const titlesOf = (list: ReadonlyArray<{ readonly title: string }>) => list.map(({ title }) => title)
const apps = groups.flatMap(([, list]) => titlesOf(list))
const checks = titlesOf([...attempts, ...systemCalls])
const programs = [...hostilePrograms, ...harmlessPrograms]
const packageGroups = [
  ["An archive", "It is refused by the names of the package and the entry. An archive", hostileArchives],
  ["A registry", "It is told of in words, and nothing that it leads to is visited. A registry", hostileRegistries],
  ["A package.json", "The package is refused, or has no such program. A package.json with", programs],
  ["What leads out of a package", "A build gets nothing else than what is in it. A package", hostileImports],
  ["A lock", "It is refused before anything is fetched. A lock whose entry has", hostileLocks]
] as const
const packages = packageGroups.flatMap(([heading, , list]) => titlesOf(list).map((title) => `${heading} ${title}`))
const lines = (titles: ReadonlyArray<string>) => titles.map((title) => `- ${title}\n`).join("")

const page = `# Attempts

What is tried on every commit to get out, in every isolation that the machine offers: bubblewrap, \`unshare\`, and for apps also bare workerd. At the end stands what packages and their registry try. All of it is denied. The list is that of the tests: one of them fails when this page says something else. (\`npm run test:only -- --project adapters-local Attempts -u\` writes it anew.)

## An app

${apps.length} attempts, in [Escapes.test.ts](../../packages/adapters-local/test/runtime/escapes/Escapes.test.ts). Each counts as denied when it throws, or never ends, or ends without what it came for; and when no listener of the machine was visited, no secret was seen, and the data of the app beside it is as it was.

${groups.map(([heading, list]) => `### ${heading}\n\nIt …\n\n${lines(titlesOf(list))}`).join("\n")}
## A check

${checks.length} attempts, in [SandboxAttempts.ts](../../packages/testing/src/contracts/sandbox/SandboxAttempts.ts) and [SandboxSystemCalls.ts](../../packages/testing/src/contracts/sandbox/SandboxSystemCalls.ts), each with cgroups and without. A sandbox of your own runs them too, as part of its contract. It …

${lines(titlesOf(attempts))}
### By a call to the kernel

Where there is a filter of system calls (see \`system-calls-filtered\` in [Isolation](isolation.md)), it …

${lines(titlesOf(systemCalls))}
## A package

${packages.length} attempts, in [HostilePackages.test.ts](../../packages/adapters-local/test/packages/HostilePackages.test.ts), [HostileRegistries.test.ts](../../packages/adapters-local/test/packages/HostileRegistries.test.ts) and [HostileImports.test.ts](../../packages/adapters-local/test/packages/HostileImports.test.ts), with the real store or its own client, a registry on this machine, and the real builder. Of the archives that unpack without end each commit takes one in turn, and \`npm run test:deep\` all. Each counts as denied when it is told of by name, nothing lies outside the store's folders, nothing ran, and an honest package installs afterwards. What stands in the way is told in [Packages](packages.md).

${packageGroups.map(([heading, beginning, list]) => `### ${heading}\n\n${beginning} …\n\n${lines(titlesOf(list))}`).join("\n")}`

it("tells in docs/security of every attempt, and of no other", async () => {
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL("../../../docs/security/attempts.md", import.meta.url)))
})

it("tries at least 60 ways out of an app, 60 out of a check and 60 by a package, each once", () => {
  for (const titles of [apps, checks, packages]) {
    expect(titles.length).toBeGreaterThanOrEqual(60)
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
  }
})
