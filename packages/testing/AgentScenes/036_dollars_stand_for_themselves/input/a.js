let price = 1
