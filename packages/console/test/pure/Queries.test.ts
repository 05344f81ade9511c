import { QueryObserver } from "@tanstack/react-query"
import { expect, it } from "vitest"
import { makeQueryClient } from "../../src/api/Queries.ts"

const key = ["project", "p1"]

/** Questions that are answered when the test says so, in the order in which they were asked. */
const watched = () => {
  const client = makeQueryClient()
  const asked: Array<{ readonly answer: (value: string) => void; readonly fail: (why: Error) => void }> = []
  const observer = new QueryObserver<string>(client, {
    queryKey: key,
    queryFn: () => new Promise<string>((answer, fail) => void asked.push({ answer, fail }))
  })
  const shown: Array<string | undefined> = []
  const stop = observer.subscribe(({ data }) => void shown.push(data))
  return { asked, client, shown, stop: () => (stop(), client.clear()) }
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve))

it("shows a first answer that is older than the news, and asks once more", async () => {
  const { asked, client, shown, stop } = watched()
  void client.invalidateQueries({ queryKey: key })
  void client.invalidateQueries({ queryKey: [] })
  await turn()
  expect(asked).toHaveLength(1)
  asked[0]!.answer("before")
  await turn()
  expect(shown.at(-1)).toBe("before")
  expect(asked).toHaveLength(2)
  asked[1]!.answer("after")
  await turn()
  expect(shown.at(-1)).toBe("after")
  expect(asked).toHaveLength(2)
  stop()
})

it("asks no second time without news, nor after a first question that failed", async () => {
  const quiet = watched()
  quiet.asked[0]!.answer("all")
  await turn()
  expect(quiet.asked).toHaveLength(1)
  quiet.stop()
  const failing = watched()
  void failing.client.invalidateQueries({ queryKey: key })
  failing.asked[0]!.fail(new Error("no"))
  await turn()
  expect(failing.asked).toHaveLength(1)
  failing.stop()
})

it("ends a question that asks again, and asks anew", async () => {
  const { asked, client, shown, stop } = watched()
  asked[0]!.answer("first")
  await turn()
  void client.invalidateQueries({ queryKey: key })
  void client.invalidateQueries({ queryKey: key })
  await turn()
  expect(asked).toHaveLength(3)
  asked[2]!.answer("third")
  await turn()
  expect(shown.at(-1)).toBe("third")
  stop()
})
