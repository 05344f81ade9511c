import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

describe("Where objects are", () => {
  it("reads the client of S3 when there is a bucket, and not before", () => {
    const program = `
      import { createRequire } from "node:module"
      const { cache } = createRequire(${JSON.stringify(import.meta.url)})
      const read = () => Object.keys(cache).some((path) => path.includes("@aws-sdk"))
      await Promise.all([import("../../src/node/Pawl.ts"), import("../../src/node/Doctor.ts")])
      const before = read()
      await import("@pawl/adapters-s3/S3ObjectStore")
      console.log(JSON.stringify([before, read()]))`
    const options = ["--conditions=pawl-source", "--input-type=module", "--disable-warning=ExperimentalWarning"]
    const said = execFileSync(process.execPath, [...options, "-e", program], {
      cwd: from("."),
      encoding: "utf8"
    })
    expect(JSON.parse(said)).toEqual([false, true])
  })
})
