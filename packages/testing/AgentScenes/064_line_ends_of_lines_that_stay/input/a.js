one
two
three
four
