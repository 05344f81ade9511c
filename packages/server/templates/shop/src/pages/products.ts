import { maxQuantity } from "../cart.ts"
import { html, type Html } from "../html.ts"
import { formatPrice, type Product } from "../products.ts"

const card = (product: Product): Html =>
  html` <li class="card">
    <a href="/products/${product.id}">
      <img src="${product.image}" alt="" width="400" height="400" />
      <h2>${product.name}</h2>
    </a>
    <p class="muted">${product.summary}</p>
    <div class="row">
      <span class="price">${formatPrice(product.priceCents)}</span>
      <form method="post" action="/cart/add">
        <input type="hidden" name="product" value="${product.id}" />
        <button aria-label="Add ${product.name} to the cart">Add</button>
      </form>
    </div>
  </li>`

export const listPage = (products: ReadonlyArray<Product>): Html =>
  html` <section class="hero">
      <h1>Good things for a calm kitchen</h1>
      <p>Made in small numbers, meant to be used every day.</p>
    </section>
    <ul class="grid">
      ${products.map(card)}
    </ul>`

export const productPage = (product: Product): Html =>
  html` <p class="crumbs"><a href="/">All products</a></p>
    <article class="product">
      <img src="${product.image}" alt="${product.name}" width="400" height="400" />
      <div>
        <h1>${product.name}</h1>
        <p class="muted">${product.summary}</p>
        <p class="price large">${formatPrice(product.priceCents)}</p>
        <p>${product.description}</p>
        <form class="row start" method="post" action="/cart/add">
          <input type="hidden" name="product" value="${product.id}" />
          <label
            >Quantity <input type="number" name="quantity" value="1" min="1" max="${maxQuantity}" required
          /></label>
          <button>Add to cart</button>
        </form>
      </div>
    </article>`
