import { noticesOf } from "@pawl/server/node/NoticesOptions"
import { Option, Redacted } from "effect"
import { describe, expect, it } from "vitest"

const of = (notices?: string, credentials?: string, isEmbedded = false) =>
  noticesOf(
    {
      notices: Option.map(Option.fromUndefinedOr(notices), Redacted.make),
      noticesCredentials: Option.fromUndefinedOr(credentials)
    },
    isEmbedded
  )

describe("The options of notices", () => {
  it("are the database where nothing is said", () => {
    expect([of(), of(undefined, undefined, true)]).toEqual([{ _tag: "Database" }, { _tag: "Database" }])
  })

  it("are servers of NATS, with a login or a file of credentials", () => {
    const servers = { _tag: "Nats", servers: ["one:4222", "two:4333"], tls: false, login: null, credentials: null }
    expect(of("nats://one,nats://two:4333")).toEqual(servers)
    expect(of("nats://one,nats://two:4333", "/etc/pawl/nats.creds")).toEqual({
      ...servers,
      credentials: "/etc/pawl/nats.creds"
    })
    const choice = of("nats://pawl:s3cr3t@one")
    expect(choice).toMatchObject({ _tag: "Nats", login: { _tag: "User", user: "pawl" } })
    expect(JSON.stringify(choice)).not.toContain("s3cr3t")
  })

  it.each([
    ["postgres://s3cr3t@host", undefined, false, "notices (PAWL_NOTICES): use nats://host:port"],
    ["nats://s3cr3t@host", undefined, true, "notices (PAWL_NOTICES): leave it out: the embedded server"],
    [undefined, "/a/file", false, "noticesCredentials (PAWL_NOTICES_CREDENTIALS): set notices (PAWL_NOTICES)"],
    [
      "nats://host",
      "a/file",
      false,
      "noticesCredentials (PAWL_NOTICES_CREDENTIALS): name the file by its absolute path"
    ],
    ["nats://s3cr3t@host", "/a/file", false, "noticesCredentials (PAWL_NOTICES_CREDENTIALS): leave it out, or"]
  ])("%s and %s are refused in words that do not repeat them", (notices, credentials, isEmbedded, words) => {
    const problem = of(notices, credentials, isEmbedded)
    expect(problem).toContain(words)
    expect(problem).not.toContain("s3cr3t")
  })
})
