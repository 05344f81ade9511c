const a = f(2, 1, 3)
