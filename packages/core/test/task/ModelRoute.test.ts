import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { tierAfter, tierOf } from "@pawl/core/task/ModelRoute"

const run = (tier: "fast" | "balanced" | "strong", outcome: string) => ({ tier, outcome })

describe("The tier of a Task", () => {
  it("follows its complexity; planning gets the strongest, a migration never the weakest", () => {
    expect(tierOf("plan", "large")).toBe("strong")
    expect(tierOf("implement", "small")).toBe("fast")
    expect(tierOf("review", "medium")).toBe("balanced")
    expect(tierOf("test", "large")).toBe("strong")
    expect(tierOf("migrate", "small")).toBe("balanced")
  })

  it("has two attempts on each tier", () => {
    expect(tierAfter("Retry", "fast", [])).toBe("fast")
    expect(tierAfter("Retry", "fast", [run("fast", "retried")])).toBe("balanced")
    expect(tierAfter("Retry", "balanced", [run("fast", "retried"), run("fast", "retried")])).toBe("balanced")
    expect(tierAfter("Retry", "strong", [run("strong", "retried")])).toBeNull()
  })

  it("moves up at once when a stronger one is asked for, and ends after the strongest", () => {
    expect(tierAfter("Escalate", "fast", [])).toBe("balanced")
    expect(tierAfter("Escalate", "strong", [])).toBeNull()
  })

  it("does not count runs that a budget or an operator ended", () => {
    expect(tierAfter("Retry", "fast", [run("fast", "stopped"), run("fast", "dead_lettered")])).toBe("fast")
  })

  it("does not count runs that an upgrade ended, until there were more than anybody upgrades", () => {
    const diverged = (count: number) => Array.from({ length: count }, () => run("fast", "diverged"))
    expect(tierAfter("Retry", "fast", diverged(1))).toBe("fast")
    expect(tierAfter("Diverged", "fast", [run("fast", "retried")])).toBe("fast")
    expect(tierAfter("Diverged", "fast", [run("fast", "retried"), ...diverged(Limits.divergedRuns - 1)])).toBe("fast")
    expect(tierAfter("Diverged", "fast", [run("fast", "retried"), ...diverged(Limits.divergedRuns)])).toBe("balanced")
  })
})
