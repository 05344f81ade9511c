import { CanonicalRemote } from "@pawl/core/release/CanonicalRemote"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as Options from "@pawl/server/node/Options"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as TargetGit from "@pawl/server/node/TargetGit"

const token = "git-token-of-the-test"
const read = (given: Readonly<Record<string, string>>) => Effect.runPromise(Effect.result(Options.read(given)))

describe("The place that a server may push canonical main to", () => {
  it("is an address with its credentials, which are never shown", async () => {
    const options = await read({ targetGitUrl: "https://GitHub.com/acme/", targetGitToken: token })
    expect(options).toMatchObject({
      success: { targetGit: { url: "https://github.com/acme", token: { user: "x-access-token" }, sshKeyFile: null } }
    })
    expect(JSON.stringify(options)).not.toContain(token)
    expect(await read({ targetGitUrl: "ssh://git@github.com/acme", targetSshKeyFile: "/etc/pawl/key" })).toMatchObject({
      success: { targetGit: { url: "ssh://git@github.com/acme", token: null, sshKeyFile: "/etc/pawl/key" } }
    })
    expect(await read({ targetGitUrl: "http://127.0.0.1:3000/acme", targetGitUser: "oauth2" })).toMatchObject({
      success: { targetGit: { url: "http://127.0.0.1:3000/acme" } }
    })
  })

  it("is refused in words, without naming the token, when the options do not belong together", async () => {
    const acme = "https://github.com/acme"
    for (const given of [
      { targetGitToken: token },
      { targetSshKeyFile: "/key" },
      { targetGitUrl: "https://github.com" },
      { targetGitUrl: `https://x:${token}@github.com/acme` },
      { targetGitUrl: "git://github.com/acme" },
      { targetGitUrl: "http://github.com/acme", targetGitToken: token },
      { targetGitUrl: acme, targetGitToken: `${token}\n` },
      { targetGitUrl: acme, targetGitUser: "a:b" },
      { targetGitUrl: "ssh://git@github.com/acme", targetGitToken: token },
      { targetGitUrl: "ssh://git@github.com/acme", targetSshKeyFile: "key" }
    ] as ReadonlyArray<Readonly<Record<string, string>>>) {
      const options = await read(given)
      expect(options).toMatchObject({ _tag: "Failure", failure: { _tag: "InvalidOptions" } })
      expect(JSON.stringify(options)).toMatch(/target(Git|Ssh)/)
      expect(JSON.stringify(options)).not.toContain(token)
    }
  })

  it("is nowhere unless it is named", async () => {
    expect(await read({})).toMatchObject({ success: { targetGit: null } })
    const pushed = Effect.flatMap(CanonicalRemote, (remote) =>
      Effect.flip(remote.push({ project: "p", remote: "https://github.com/acme/shop", commit: "c" }))
    ).pipe(
      Effect.provide(
        Layer.provide(TargetGit.layer(null), Layer.succeed(GitPlace, { root: "/nowhere", brought: () => Effect.void }))
      )
    )
    expect(await Effect.runPromise(pushed)).toMatchObject({
      _tag: "RemoteRefused",
      message: expect.stringContaining("PAWL_TARGET_GIT_URL")
    })
  })
})
