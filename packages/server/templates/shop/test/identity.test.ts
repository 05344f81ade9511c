import assert from "node:assert/strict"
import { test } from "node:test"
import { actingUser, cookieValue, defaultUser, userCookie, users } from "../src/identity/index.ts"

const request = (headers: Record<string, string>) => new Request("https://shop.example/", { headers })

test("the header names the acting user", () => {
  assert.equal(actingUser(request({ "x-user-id": "maria" }))?.name, "Maria")
})

test("without the header the cookie does", () => {
  assert.equal(actingUser(request({ cookie: "theme=dark; shop_user=kofi" }))?.id, "kofi")
})

test("the header comes before the cookie", () => {
  assert.equal(actingUser(request({ "x-user-id": "maria", cookie: "shop_user=kofi" }))?.id, "maria")
})

test("without both it is the demo user", () => {
  assert.equal(actingUser(request({})), defaultUser)
  assert.equal(actingUser(request({ cookie: "other_shop_user=kofi" })), defaultUser)
})

test("a name that nobody has is nobody, in the header and in the cookie", () => {
  assert.equal(actingUser(request({ "x-user-id": "nobody" })), undefined)
  assert.equal(actingUser(request({ "x-user-id": "" })), undefined)
  assert.equal(actingUser(request({ cookie: "shop_user=nobody" })), undefined)
})

test("the cookie that is set is the cookie that is read", () => {
  for (const user of users) assert.equal(cookieValue(userCookie(user).split(";")[0] ?? null, "shop_user"), user.id)
})
