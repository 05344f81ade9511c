/** The main job on real input, act by act. Every step checks that it did what it says. */
import type { Event } from "@pawl/core/model/Event"
import { approval } from "./acts/Approval.ts"
import { budgetStop } from "./acts/BudgetStop.ts"
import { createShop } from "./acts/CreateShop.ts"
import { feature } from "./acts/Feature.ts"
import { goal } from "./acts/Goal.ts"
import { lane } from "./acts/Lane.ts"
import { mistake } from "./acts/Mistake.ts"
import { plantedBug } from "./acts/PlantedBug.ts"
import { race } from "./acts/Race.ts"
import { rollback } from "./acts/Rollback.ts"
import { smokeFailure } from "./acts/SmokeFailure.ts"
import { type Demo, need, type Shop } from "./Steps.ts"

/** All events of a Project, page by page. */
const eventsOf = async ({ api }: Demo, projectId: string): Promise<ReadonlyArray<Event>> => {
  const events: Array<Event> = []
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0
    const { items } = await api.get<{ items: ReadonlyArray<Event> }>(
      `/v1/projects/${projectId}/events?after=${after}&limit=100`
    )
    if (items.length === 0) return events
    events.push(...items)
  }
}

const tellEvents = async (demo: Demo, shop: Shop) => {
  demo.timeline.title("What happened, as the Project's events tell it")
  const events = await eventsOf(demo, shop.projectId)
  need(
    events.every((event, index) => event.sequence === index + 1),
    "the events are not dense"
  )
  for (const event of events)
    demo.timeline.say(
      `  ${String(event.sequence).padStart(3)}  ${event.time.slice(11, 23)}  ${event.type.padEnd(30)} ${event.actor.type === "user" ? "a person" : event.actor.id}`
    )
}

/** The acts in which people alone work. Answers the shop, and the preview that one of them left. */
const people = async (demo: Demo) => {
  const shop = await createShop(demo)
  const preview = await feature(demo, shop)
  await mistake(demo, shop)
  await race(demo, shop)
  await lane(demo, shop)
  await approval(demo, shop)
  return { shop, preview }
}

/** Runs the acts that need no model and no reader of routes; rejects as `run` does. */
export const runByPeople = async (demo: Demo): Promise<ReadonlyArray<string>> => {
  const { preview, shop } = await people(demo)
  await tellEvents(demo, shop)
  return [`${shop.url}`, `${shop.url}hours`, `${preview}`]
}

/** Runs the whole demo; rejects when any step did not do what it says. Answers the addresses to look at. */
export const run = async (demo: Demo): Promise<ReadonlyArray<string>> => {
  const { preview, shop } = await people(demo)
  const failed = await smokeFailure(demo, shop)
  await rollback(demo, shop, failed)
  await goal(demo, shop)
  // Which mistakes a model makes, and what it costs, is known only of one that follows a script.
  if (demo.model !== null) {
    await plantedBug(demo, shop, demo.model)
    await budgetStop(demo, shop, demo.model)
  }
  await tellEvents(demo, shop)
  return [`${shop.url}`, `${shop.url}hours`, `${shop.url}about`, `${preview}`]
}
