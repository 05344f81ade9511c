export const render = (root) => {
  let count = 0
  const button = document.createElement("button")
  button.type = "button"
  const label = () => (button.textContent = `count is ${count}`)
  button.addEventListener("click", () => {
    count += 1
    label()
  })
  label()
  root.replaceChildren(button)
}
