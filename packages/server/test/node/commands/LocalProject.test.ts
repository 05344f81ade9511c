import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { holdsSecrets, readLocalProject, slugOf } from "@pawl/server/node/commands/LocalProject"
import { afterAll, describe, expect, it } from "vitest"

const root = mkdtempSync(join(tmpdir(), "local-project-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const folder = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const path = mkdtempSync(join(root, "a-"))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  return path
}

const secrets = {
  ".env": "KEY=1",
  ".env.production": "KEY=1",
  ".dev.vars": "KEY=1",
  "certificates/server.pem": "-----BEGIN",
  ".npmrc": "//registry.npmjs.org/:_authToken=x"
}
const own = {
  ".env.example": "KEY=",
  "package-lock.json": "{}",
  "package.json": "{}",
  "src/index.ts": "export default {}\n"
}

describe("A local project", () => {
  it("is what git would commit of it: what is ignored and what was deleted is not sent", async () => {
    const path = folder({
      ...own,
      ".gitignore": "node_modules\ndist\n",
      "node_modules/a/index.js": "a",
      "dist/a.js": "a",
      "gone.txt": "gone",
      "new.txt": "not added yet"
    })
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", path, ...args])
    git("init", "-q")
    git("add", "package.json", "src", "gone.txt")
    rmSync(join(path, "gone.txt"))
    const { files, leftOut } = await readLocalProject(path)
    expect(Object.keys(files).toSorted()).toEqual([...Object.keys(own), ".gitignore", "new.txt"].toSorted())
    expect(leftOut).toEqual([])
  })

  it("is, in no git repository, everything but what tools make, which is told", async () => {
    const path = folder({ ...own, "node_modules/a/index.js": "a", "app/dist/a.js": "a", ".wrangler/state/x": "x" })
    const { files, leftOut } = await readLocalProject(path)
    expect(Object.keys(files).toSorted()).toEqual(Object.keys(own).toSorted())
    expect(leftOut.map(({ path: each }) => each).toSorted()).toEqual([".wrangler", "app/dist", "node_modules"])
  })

  it.each([true, false])("never sends what holds secrets, and says so (committed: %s)", async (committed) => {
    const path = folder({ ...own, ...secrets })
    if (committed) {
      execFileSync("git", ["-C", path, "init", "-q"])
      execFileSync("git", ["-C", path, "add", "-A", "-f"])
    }
    const { files, leftOut } = await readLocalProject(path)
    expect(Object.keys(files).toSorted()).toEqual(Object.keys(own).toSorted())
    expect(leftOut.map(({ path: each }) => each).toSorted()).toEqual(Object.keys(secrets).toSorted())
  })

  it("sends bytes as bytes, and names links, which it follows nowhere", async () => {
    const path = folder({ ...own, "logo.png": new Uint8Array([137, 80, 78, 71, 255]) })
    symlinkSync("/etc/hostname", join(path, "link"))
    const { files, leftOut } = await readLocalProject(path)
    expect(files["logo.png"]).toEqual({ base64: "iVBOR/8=" })
    expect(leftOut).toEqual([{ path: "link", why: "it is a link" }])
  })

  it("is no folder that is not there", async () => {
    await expect(readLocalProject(join(root, "nothing"))).rejects.toThrow("ENOENT")
  })
})

describe("Names", () => {
  it("that hold secrets are known, and their examples are not among them", () => {
    for (const name of [".env", ".env.local", ".dev.vars", ".dev.vars.staging", "a.pem", "a.key", "id_ed25519"])
      expect(holdsSecrets(name)).toBe(true)
    for (const name of [".env.example", ".env.sample", "env.ts", "keys.ts", "pem.md"])
      expect(holdsSecrets(name)).toBe(false)
  })

  it("of folders become slugs", () => {
    expect(slugOf("/home/x/My App_2")).toBe("my-app-2")
    expect(slugOf("/home/x/--Über--")).toBe("ber")
    expect(slugOf("/")).toBe("")
    expect(slugOf(`/${"a".repeat(80)}`)).toHaveLength(50)
  })
})
