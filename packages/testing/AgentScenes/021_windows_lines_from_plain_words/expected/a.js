1
2
three
