const p = /^[ab]*$/
const q = 1
