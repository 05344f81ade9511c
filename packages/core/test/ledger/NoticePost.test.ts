import { describe, expect, it } from "vitest"
import * as NoticePost from "@pawl/core/ledger/NoticePost"
import { Limits } from "@pawl/core/primitives/Limits"

const options = { sender: "me", topicsKept: 5, topicsAtOnce: 2 }

/** A post with a carrier that keeps what it carried. */
const carried = () => {
  const messages: Array<string> = []
  const carrier = () => (message: string) => Promise.resolve(void messages.push(message))
  return { messages, carrier, post: NoticePost.make(options) }
}

/** A post and all that is heard at it. */
const listened = () => {
  const post = NoticePost.make(options)
  const heard: Array<string> = []
  const stop = post.subscribe({ heard: (topic) => heard.push(topic), missed: () => heard.push("(missed)") })
  return { post, heard, stop }
}

describe("The post of notices", () => {
  it("sends each topic that waits once, a few in a message, in their order", async () => {
    const { carrier, messages, post } = carried()
    for (const topic of ["a", "b", "a", "c"]) post.publish(topic)
    await post.flush(carrier)
    expect(messages).toEqual(["me\na\nb", "me\nc"])
  })

  it("keeps what could not be sent, once, for the next carrier, and no more than its bound", async () => {
    const { carrier, messages, post } = carried()
    for (const topic of ["a", "b", "c"]) post.publish(topic)
    await post.flush(() => null)
    await post.flush(() => () => {
      post.publish("a")
      return Promise.reject(new Error("cut off"))
    })
    for (const topic of ["d", "e", "f"]) post.publish(topic)
    await post.flush(carrier)
    const sent = messages.flatMap((message) => message.split("\n").slice(1))
    expect(sent.toSorted()).toEqual(["a", "b", "c", "d", "e"])
  })

  it("sends again what is published while it is on its way, and a second flush leaves that to the first", async () => {
    const { messages, post } = carried()
    const slow = () => async (message: string) => {
      messages.push(message)
      if (messages.length > 1) return
      post.publish("a")
      await post.flush(slow)
    }
    post.publish("a")
    await post.flush(slow)
    expect(messages).toEqual(["me\na", "me\na"])
  })

  it("tells no topic that is too long, in bytes", async () => {
    const { carrier, messages, post } = carried()
    const fits = "é".repeat(Limits.noticeTopicBytes / 2)
    post.publish(`${fits}x`)
    post.publish(fits)
    await post.flush(carrier)
    expect(messages).toEqual([`me\n${fits}`])
  })

  it("hears the topics of others, not its own, and nothing that no process of ours sends", () => {
    const { heard, post, stop } = listened()
    post.hear("other\na\nb")
    post.hear("me\nc")
    post.hear("other\nd\ne\nf")
    post.hear("")
    expect(heard).toEqual(["a", "b"])
    post.miss()
    expect(heard).toEqual(["a", "b", "(missed)"])
    stop()
    post.hear("other\ng")
    post.miss()
    expect(heard).toHaveLength(3)
  })
})
