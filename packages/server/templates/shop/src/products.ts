export interface Product {
  readonly id: string
  readonly name: string
  readonly summary: string
  readonly description: string
  /** In euro cents, tax included. */
  readonly priceCents: number
  /** A file under public/. */
  readonly image: string
}

const product = (id: string, name: string, priceCents: number, summary: string, description: string): Product => ({
  id,
  name,
  summary,
  description,
  priceCents,
  image: `/products/${id}.svg`
})

export const products: ReadonlyArray<Product> = [
  product(
    "mug",
    "Morning mug",
    1800,
    "Stoneware, 300 ml",
    "Thrown by hand and glazed in sea green. Holds 300 ml, keeps it warm, and does not mind the dishwasher."
  ),
  product(
    "teapot",
    "Round teapot",
    5400,
    "Stoneware, 900 ml",
    "Pours without dripping, which is rarer than it should be. Comes with a strainer that lifts out in one piece."
  ),
  product(
    "bowl",
    "Breakfast bowl",
    2200,
    "Stoneware, 16 cm",
    "Deep enough for soup, wide enough for fruit. Each one is a slightly different blue."
  ),
  product(
    "board",
    "Bread board",
    3900,
    "Oiled oak, 40 cm",
    "One piece of oak with a groove for the crumbs. Oil it twice a year and it will outlast the kitchen."
  ),
  product(
    "linen",
    "Kitchen linen",
    1600,
    "Set of two, 50 × 70 cm",
    "Two towels of washed linen. They dry glasses without lint, and get better with every wash."
  ),
  product(
    "jar",
    "Pantry jar",
    1400,
    "Glass and cork, 1 l",
    "Thick glass and a cork that fits. Room for a kilo of oats or a good week of biscuits."
  ),
  product(
    "candle",
    "Beeswax candle",
    1200,
    "Burns for 30 hours",
    "Pure beeswax with a cotton wick. Smells of honey, faintly, and of nothing else."
  ),
  product(
    "spoon",
    "Serving spoon",
    900,
    "Cherry wood, 28 cm",
    "Carved from a single branch. Light in the hand and gentle to a good pan."
  )
]

const byId = new Map(products.map((entry) => [entry.id, entry]))

export const findProduct = (id: string): Product | undefined => byId.get(id)

/** `€1,018.00`. By hand: the first `Intl.NumberFormat` of a process takes 12 ms, for which a first visitor would wait. */
export const formatPrice = (cents: number): string => `€${(cents / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ",")}`
