one
2
3
four
three
