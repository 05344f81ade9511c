import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"

describe("What carries notices", () => {
  it("is read when it is NATS, and not before", () => {
    const program = `
      import { createRequire } from "node:module"
      const { cache } = createRequire(${JSON.stringify(import.meta.url)})
      const read = () => Object.keys(cache).some((path) => path.includes("@nats-io"))
      await Promise.all([import("../../src/node/Pawl.ts"), import("../../src/node/Doctor.ts")])
      const before = read()
      await import("@pawl/adapters-nats/NatsNotices")
      console.log(JSON.stringify([before, read()]))`
    const options = ["--conditions=pawl-source", "--input-type=module", "--disable-warning=ExperimentalWarning"]
    const said = execFileSync(process.execPath, [...options, "-e", program], {
      cwd: import.meta.dirname,
      encoding: "utf8"
    })
    expect(JSON.parse(said)).toEqual([false, true])
  })
})
