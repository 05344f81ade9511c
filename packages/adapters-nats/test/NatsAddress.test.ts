import { serversOf, serversText } from "@pawl/adapters-nats/NatsAddress"
import { NatsLimits } from "@pawl/adapters-nats/NatsLimits"
import { Redacted } from "effect"
import { describe, expect, it } from "vitest"

describe("Addresses of NATS", () => {
  it.each([
    ["nats://127.0.0.1:4333", ["127.0.0.1:4333"], false],
    ["nats://nats", ["nats:4222"], false],
    ["nats://[::1]:4333/", ["[::1]:4333"], false],
    ["tls://one.example, tls://two.example:4333,tls://one.example", ["one.example:4222", "two.example:4333"], true]
  ])("%s names its servers, with their ports, each once", (text, servers, tls) => {
    expect(serversOf(text)).toEqual({ servers, tls, login: null })
  })

  it("may have a user with a password, or a token, which belong to all servers and are told to nobody", () => {
    const user = serversOf("nats://pawl:p%25%2C%40ss@one,nats://two")
    expect(user).toMatchObject({ servers: ["one:4222", "two:4222"], login: { _tag: "User", user: "pawl" } })
    if (typeof user === "string" || user.login?._tag !== "User") throw new Error("no user")
    expect(Redacted.value(user.login.password)).toBe("p%,@ss")
    const token = serversOf("tls://s3cr3t@one")
    if (typeof token === "string" || token.login?._tag !== "Token") throw new Error("no token")
    expect(Redacted.value(token.login.token)).toBe("s3cr3t")
    for (const each of [user, token]) expect(JSON.stringify(each) + serversText(each)).not.toMatch(/s3cr3t|p%/)
    expect([serversText(user), serversText(token)]).toEqual(["nats://one:4222,nats://two:4222", "tls://one:4222"])
  })

  it.each([
    ["", "use nats://host:port or tls://host:port"],
    ["127.0.0.1:4222", "use nats://host:port or tls://host:port"],
    ["http://secret@host", "use nats://host:port or tls://host:port"],
    ["ws://host", "use nats://host:port or tls://host:port"],
    ["nats://", "use nats://host:port or tls://host:port"],
    ["nats://one,,nats://two", "use nats://host:port or tls://host:port"],
    ["nats://secret@host/topic", "without a path"],
    ["nats://secret@host?tls=1", "without a path"],
    ["nats://:secret@host", "name the user before the password"],
    ["nats://user:secret%@host", "write a % of a password as %25"],
    ["nats://user:secret@one,nats://user:secret2@two", "the same user and password"],
    ["nats://secret@one,nats://user:secret@two", "the same user and password"],
    ["tls://secret@127.0.0.1", "name the host of tls:// as its certificate does"],
    ["tls://secret@[::1]:4222", "name the host of tls:// as its certificate does"],
    ["nats://one,tls://two", "nats:// for all servers, or tls:// for all"],
    [Array.from({ length: NatsLimits.natsServers + 1 }, (_, n) => `nats://n${n}`).join(","), "name at most 16 servers"]
  ])("%s is refused in words that do not repeat it", (text, words) => {
    const problem = serversOf(text)
    expect(problem).toContain(words)
    expect(problem).not.toContain("secret")
  })
})
