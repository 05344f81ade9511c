import assert from "node:assert/strict"
import { test } from "node:test"
import { add, type Cart, count, lines, maxQuantity, parse, remove, setQuantity, totalCents } from "../src/cart.ts"
import { findProduct } from "../src/products.ts"

const empty: Cart = new Map()
const price = (id: string) => findProduct(id)?.priceCents ?? Number.NaN

test("adding the same product twice counts it twice", () => {
  const cart = add(add(empty, "mug"), "mug", 2)
  assert.equal(cart.get("mug"), 3)
  assert.equal(count(cart), 3)
})

test("the total is the sum of price times quantity", () => {
  const cart = add(add(empty, "mug", 2), "bowl", 3)
  assert.equal(totalCents(cart), 2 * price("mug") + 3 * price("bowl"))
  assert.deepEqual(
    lines(cart).map((line) => [line.product.id, line.quantity]),
    [
      ["mug", 2],
      ["bowl", 3]
    ]
  )
})

test("a quantity of zero removes, and none goes over the most", () => {
  assert.equal(setQuantity(add(empty, "mug"), "mug", 0).size, 0)
  assert.equal(remove(add(empty, "mug"), "mug").size, 0)
  assert.equal(add(empty, "mug", maxQuantity + 1).get("mug"), maxQuantity)
})

test("a change leaves the cart that it came from as it was", () => {
  const cart = add(empty, "mug")
  add(cart, "bowl")
  assert.deepEqual([...cart], [["mug", 1]])
})

test("a product that is no longer sold costs nothing", () => {
  const cart = parse(`{ "gone": 4, "mug": 1 }`)
  assert.equal(totalCents(cart), price("mug"))
  assert.equal(count(cart), 1)
})

test("a stored cart that cannot be read is an empty one", () => {
  for (const text of [null, "", "{", "null", "[]", `{"mug":-1}`, `{"mug":"1"}`, `{"mug":1.5}`])
    assert.equal(count(parse(text)), 0)
})
