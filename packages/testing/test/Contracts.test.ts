import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { portsIn } from "../../../tools/house/Ports.ts"

const packages = new URL("../../", import.meta.url)
const sources = (folder: URL): ReadonlyArray<{ readonly path: string; readonly text: string }> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => ({ path, text: readFileSync(new URL(path, folder), "utf8") }))
    : []

/** Tags of the core that no adapter provides, and why. */
const noPorts: Readonly<Record<string, string>> = {
  Process: "what a running command carries with it; `Processes.runLeased` alone provides it",
  SandboxSlots: "a number of this process that a host may set",
  Meters: "counters of this process; what reads them is the host's",
  Settings: "what a host decides",
  OutboundRule: "what a host decides",
  ProvenanceMode: "what a host decides",
  ReleaseTrust: "what a host decides",
  NewProjectId: "a place that is there before its Project says the id; else chance does",
  StoreTimeMoved: "a number of this process, measured by what provides the store's time as its clock"
}

/** Ports that are filled by hosts alone so far: their suites run over a scripted layer. */
const onlyScripted: ReadonlyArray<string> = ["Agent", "Planner"]

const tags = sources(new URL("core/src/", packages)).flatMap(({ text }) => portsIn(text))
const ports = tags.filter((port) => !(port in noPorts))
const suiteOf = (port: string) => `${port[0]!.toLowerCase()}${port.slice(1)}Contract`
const inStores = readFileSync(new URL("testing/src/contracts/stores/StoreContracts.ts", packages), "utf8")

const suites = sources(new URL("testing/src/", packages))

/** The packages whose tests run the suite of a port. */
const runners = (() => {
  const tests = readdirSync(packages).map((name) => ({
    name,
    text: sources(new URL(`${name}/test/`, packages))
      .filter(({ path }) => path.endsWith(".test.ts"))
      .map(({ text }) => text)
      .join("\n")
  }))
  return (port: string): ReadonlyArray<string> => {
    const calls = [suiteOf(port), ...(inStores.includes(`${suiteOf(port)}(`) ? ["storeContracts"] : [])]
    return tests
      .filter(({ text }) => calls.some((call) => text.includes(`\n${call}(`) || text.includes(` ${call}(`)))
      .map(({ name }) => name)
  }
})()

describe("The contract suites", () => {
  it("know the ports of the core", () => {
    expect(ports).toEqual(expect.arrayContaining(["Ledger", "ObjectStore", "PointerSource", "Secrets"]))
    expect(tags).toEqual(expect.arrayContaining(Object.keys(noPorts)))
  })

  it.each(ports)("have one for %s", (port) => {
    const files = suites.filter(({ path }) => path.endsWith(`/${port}Contract.ts`))
    expect(files.map(({ text }) => text)).toEqual([expect.stringContaining(`export const ${suiteOf(port)} =`)])
  })

  it.each(ports)("are run for %s in memory, and by what does it for real", (port) => {
    const inMemory = ["core", "testing", "adapters-memory"]
    expect(runners(port).some((name) => inMemory.includes(name))).toBe(true)
    expect(runners(port).some((name) => !inMemory.includes(name))).toBe(!onlyScripted.includes(port))
  })
})
