import assert from "node:assert/strict"
import { test } from "node:test"
import { escape, html } from "../src/html.ts"

test("text cannot become markup, between tags or in an attribute", () => {
  const evil = `"><script>alert('x')</script>&`
  assert.equal(escape(evil), "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;")
  assert.equal(html`<p title="${evil}">${evil}</p>`.markup.includes("<script>"), false)
})

test("markup inside markup is kept, lists are joined, nothing is left out but nothing", () => {
  const items = ["<a>", "b"].map((text) => html`<li>${text}</li>`)
  const parts = [items, null, undefined, false, 0]
  assert.equal(html`<b>${parts}</b>`.markup, "<b><li>&lt;a&gt;</li><li>b</li>0</b>")
})
