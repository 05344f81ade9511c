import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { test } from "node:test"
import type { Env } from "../src/env.ts"
import shop from "../src/index.ts"
import { formatPrice, products } from "../src/products.ts"

/** A shop with an empty store, and a way to visit it. */
const open = () => {
  const store = new Map<string, string>()
  const env: Env = {
    DATA: {
      get: async (key) => store.get(key) ?? null,
      put: async (key, value) => void store.set(key, value),
      delete: async (key) => void store.delete(key)
    }
  }
  const get = (path: string, headers: Record<string, string> = {}) =>
    shop.fetch(new Request(`https://shop.example${path}`, { headers }), env)
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    shop.fetch(
      new Request(`https://shop.example${path}`, { method: "POST", body: new URLSearchParams(fields), headers }),
      env
    )
  return { get, post, store }
}

test("the first page lists every product with its price", async () => {
  const response = await open().get("/")
  assert.equal(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
  const text = await response.text()
  for (const product of products) {
    assert.ok(text.includes(`href="/products/${product.id}"`))
    assert.ok(text.includes(formatPrice(product.priceCents)))
  }
})

test("the API answers every product as JSON", async () => {
  const response = await open().get("/api/products")
  assert.equal(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
  const body = await response.json()
  assert.deepEqual(body, { products })
})

test("every product has a page, a whole price and a picture", async () => {
  const { get } = open()
  assert.equal(new Set(products.map(({ id }) => id)).size, products.length)
  for (const product of products) {
    const response = await get(`/products/${product.id}`)
    assert.equal(response.status, 200)
    assert.ok((await response.text()).includes(product.description))
    assert.ok(Number.isInteger(product.priceCents) && product.priceCents > 0)
    assert.ok(existsSync(new URL(`../public${product.image}`, import.meta.url)))
  }
})

test("a page that is not there is 404 and shows the path escaped", async () => {
  const { get } = open()
  const response = await get("/products/%3Cscript%3E?<script>")
  assert.equal(response.status, 404)
  assert.ok(!(await response.text()).includes("<script>"))
  assert.equal((await get("/products/constructor")).status, 404)
})

test("adding, changing and removing redirects to a cart with the right total", async () => {
  const { get, post } = open()
  const added = await post("/cart/add", { product: "mug", quantity: "2" })
  assert.equal(added.status, 303)
  assert.equal(added.headers.get("location"), "/cart")
  await post("/cart/add", { product: "bowl" })
  assert.ok((await (await get("/cart")).text()).includes(formatPrice(2 * 1800 + 2200)))
  await post("/cart/update", { product: "mug", quantity: "1" })
  await post("/cart/remove", { product: "bowl" })
  const text = await (await get("/cart")).text()
  assert.ok(text.includes(formatPrice(1800)) && !text.includes("Breakfast bowl"))
})

test("each user has a cart of their own, kept under their name", async () => {
  const { get, post, store } = open()
  await post("/cart/add", { product: "jar" }, { "x-user-id": "maria" })
  await post("/cart/add", { product: "spoon" }, { cookie: "shop_user=kofi" })
  assert.deepEqual([...store.keys()].sort(), ["cart:kofi", "cart:maria"])
  assert.ok((await (await get("/cart", { cookie: "shop_user=maria" })).text()).includes("Pantry jar"))
  assert.ok((await (await get("/cart")).text()).includes("Your cart is empty"))
})

test("an unknown product or a quantity that is none changes nothing", async () => {
  const { post, store } = open()
  for (const fields of [
    { product: "yacht" },
    { product: "mug", quantity: "-1" },
    { product: "mug", quantity: "1e9" },
    { product: "mug", quantity: "two" }
  ])
    assert.equal((await post("/cart/add", { ...fields })).status, 400)
  assert.equal((await post("/cart/constructor", { product: "mug" })).status, 404)
  assert.equal(store.size, 0)
})

test("an unknown user gets 401, as a page and as JSON, and can still pick another", async () => {
  const { get, post } = open()
  for (const headers of [{ "x-user-id": "nobody" }, { cookie: "shop_user=nobody" }]) {
    assert.equal((await get("/", { ...headers })).status, 401)
    const api = await get("/api/products", { ...headers })
    assert.equal(api.status, 401)
    assert.deepEqual(await api.json(), { error: "unknown_user" })
  }
  const switched = await post("/demo-user", { user: "yuki" }, { cookie: "shop_user=nobody" })
  assert.equal(switched.status, 303)
  assert.match(switched.headers.get("set-cookie") ?? "", /^shop_user=yuki;/)
  assert.equal((await post("/demo-user", { user: "nobody" })).status, 401)
})

test("the picker shows who is shopping", async () => {
  const text = await (await open().get("/", { "x-user-id": "yuki" })).text()
  assert.match(text, /<option value="yuki"\s+selected>/)
  assert.equal(text.match(/\sselected>/g)?.length, 1)
})

test("other methods are refused", async () => {
  const response = await shop.fetch(new Request("https://shop.example/", { method: "DELETE" }), {
    DATA: { get: async () => null, put: async () => {}, delete: async () => {} }
  })
  assert.equal(response.status, 405)
})
