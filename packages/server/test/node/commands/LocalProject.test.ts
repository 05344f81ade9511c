import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
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
  ".npmrc": "//registry.npmjs.org/:_authToken=x",
  ".yarnrc.yml": "npmAuthToken: x",
  ".netrc": "machine x",
  "deploy/prod.env": "KEY=1"
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
    const tools = ["node_modules", "app/dist", ".wrangler", ".next", ".nuxt", ".output", ".svelte-kit", "build", "out"]
    const kept = { ...own, "scripts/build/a.js": "a" }
    const path = folder({ ...kept, ...Object.fromEntries(tools.map((each) => [`${each}/x/a.js`, "a"])) })
    const { files, leftOut } = await readLocalProject(path)
    expect(Object.keys(files).toSorted()).toEqual(Object.keys(kept).toSorted())
    expect(leftOut.map(({ path: each }) => each).toSorted()).toEqual(tools.toSorted())
  })

  it.each([true, false])("names what has a name that is not UTF-8 (committed: %s)", async (committed) => {
    const path = folder(own)
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xe9]), Buffer.from(".txt")]), "x")
    if (committed) {
      execFileSync("git", ["-C", path, "init", "-q"])
      execFileSync("git", ["-C", path, "add", "-A"])
    }
    const { files, leftOut } = await readLocalProject(path)
    expect(Object.keys(files).toSorted()).toEqual(Object.keys(own).toSorted())
    expect(leftOut).toEqual([{ path: "\uFFFD.txt", why: "its name is not UTF-8" }])
  })

  it("of more bytes than a request may have is measured and not read, and no file of it is lost unseen", async () => {
    const path = folder({ ...own, "a.bin": "", "b.bin": "" })
    for (const name of ["a.bin", "b.bin"]) truncateSync(join(path, name), Limits.sourceFileBytes)
    const { files, leftOut, sizes } = await readLocalProject(path)
    expect([files, leftOut]).toEqual([{}, []])
    expect(
      sizes
        .filter(({ bytes }) => bytes === Limits.sourceFileBytes)
        .map((each) => each.path)
        .toSorted()
    ).toEqual(["a.bin", "b.bin"])
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
    for (const name of `.env .ENV .env.local .envrc prod.env .dev.vars .dev.vars.staging a.pem a.key id_ed25519
      id_ed25519_sk .netrc _netrc .git-credentials`.split(/\s+/))
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
