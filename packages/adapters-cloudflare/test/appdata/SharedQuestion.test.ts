/** One question for many who write at once. */
import { describe, expect, it } from "vitest"
import { SharedQuestion } from "../../src/appdata/SharedQuestion.ts"

/** Questions that wait until they are answered. */
const waiting = () => {
  const asked: Array<PromiseWithResolvers<string>> = []
  const question = (): Promise<string> => {
    const one = Promise.withResolvers<string>()
    asked.push(one)
    return one.promise
  }
  return { asked, question }
}

describe("A question of many at once", () => {
  it("is answered to nobody by what was asked before they came", async () => {
    const { asked, question } = waiting()
    const shared = new SharedQuestion<string>()
    const first = shared.ask(question)
    await Promise.resolve()
    const later = [1, 2, 3].map(() => shared.ask(question))
    asked[0]!.resolve("before")
    expect(await first).toBe("before")
    await Promise.resolve()
    expect(asked).toHaveLength(2)
    asked[1]!.resolve("after")
    expect(await Promise.all(later)).toEqual(["after", "after", "after"])
    const next = shared.ask(question)
    await Promise.resolve()
    asked[2]!.resolve("anew")
    expect(await next).toBe("anew")
  })

  it("whose asker left is asked by each of the others for themselves, and fails for the one who asked", async () => {
    const shared = new SharedQuestion<string>()
    const leaving = () => Promise.reject<string>(new Error("left"))
    const [alone, before, leaves, stays] = [
      shared.ask(leaving),
      shared.ask(leaving),
      shared.ask(leaving),
      shared.ask(() => Promise.resolve("asked alone"))
    ]
    for (const each of [alone, before, leaves]) await expect(each).rejects.toThrow("left")
    expect(await stays).toBe("asked alone")
  })
})
